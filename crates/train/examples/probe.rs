use replay::Window;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use train::{Job, Sampler, Settings, Trainer};
use train::targets::TargetRule;
fn main() {
    torch::init(1);
    let mut args = std::env::args().skip(1);
    let run = args.next().unwrap(); let mode = args.next().unwrap(); let steps: u64 = args.next().unwrap().parse().unwrap();
    let mut w = Window::new(1_000_000);
    let mut files: Vec<_> = std::fs::read_dir(format!("{run}/games")).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file()).collect();
    files.sort();
    for p in files { for g in replay::read_shard(&p).unwrap() { w.push(&g).unwrap(); } }
    let weights = net::Weights::read(Path::new(&format!("{run}/nets/g000003.safetensors"))).unwrap();
    let settings = Settings::default();
    let batch = settings.batch_size;
    let cpu = || cpu_time::ProcessTime::now();
    match mode.as_str() {
        "bare" => {
            let t = Trainer::new(settings, &weights, 1, torch::Device::Cpu).unwrap();
            let mut bare = t.bare_steps(&w, 64).unwrap();
            bare(16);
            let s = cpu(); bare(steps);
            let e = s.elapsed(); println!("bare {:.2} us/sample", e.as_secs_f64() * 1e6 / (steps as f64 * batch as f64));
        }
        "whole" => {
            let mut t = Trainer::new(settings, &weights, 1, torch::Device::Cpu).unwrap();
            let stop = AtomicBool::new(false);
            for _ in 0..2 {
            let job = Job { steps: t.step()..t.step() + steps, positions: 0..u64::MAX, cooldown_start: None };
            let s = cpu(); t.train(&w, &job, Path::new("/tmp/faulty"), &stop, |_| ()).unwrap();
            let e = s.elapsed(); println!("whole {:.2} us/sample", e.as_secs_f64() * 1e6 / (steps as f64 * batch as f64));
            }
        }
        _ => {
            let rule = TargetRule { outcome_share: 0.5, short_horizon_plies: 8.0, scoring_weight: 0.5 };
            let sampler = Sampler { window: &w, seed: 1, batch_size: batch, mirror: true };
            for i in 0..16 { std::hint::black_box(sampler.draw(i, rule)); }
            let s = cpu(); for i in 0..steps { std::hint::black_box(sampler.draw(i, rule)); }
            let e = s.elapsed(); println!("draw {:.2} us/sample", e.as_secs_f64() * 1e6 / (steps as f64 * batch as f64));
        }
    }
}
