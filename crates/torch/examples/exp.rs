#![allow(warnings, unsafe_code)]
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tch::{Device, Kind, Tensor};
use torch::{Batch, BatchBuilder};
fn cpu() -> f64 { let mut t = libc::timespec{tv_sec:0,tv_nsec:0}; unsafe{libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID,&mut t)}; t.tv_sec as f64 + t.tv_nsec as f64*1e-9 }
fn bench(name:&str, n: usize, mut f: impl FnMut()) { f(); let mut v: Vec<f64> = (0..12).map(|_|{let t=cpu(); f(); cpu()-t}).collect(); v.sort_by(|a,b|a.total_cmp(b)); println!("{name} B {n}: best {:.1}k/s median {:.1}k/s", n as f64/v[0]/1e3, n as f64/v[6]/1e3); }
fn parameter(shape: &[i64]) -> Tensor { Tensor::randn(shape, (Kind::Float, Device::Cpu)).requires_grad_(true) }
fn main() {
    torch::init(1, 0);
    let threads: i32 = std::env::args().nth(1).map_or(1, |a| a.parse().unwrap());
    tch::set_num_threads(threads);
    for size in [512usize, 1024, 2048] {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut below = |bound: usize| rng.next_u32() as usize % bound;
        let mut b = BatchBuilder::new();
        let mut crow = vec![0i64]; let mut col: Vec<i64> = vec![];
        for _ in 0..size {
            let active: Vec<u16> = (0..30 + below(9)).map(|_| below(5056) as u16).collect();
            let mut moves: Vec<(usize,usize)> = (0..30 + below(21)).map(|_| (below(2062), below(224))).collect();
            moves.sort(); moves.dedup_by_key(|m| m.0);
            col.extend(moves.iter().map(|m| m.0 as i64)); crow.push(col.len() as i64);
            b.push(&active, moves);
        }
        let batch = b.build(Device::Cpu).unwrap();
        let (crow, col) = (Tensor::from_slice(&crow), Tensor::from_slice(&col));
        let nnz = col.size()[0];
        let h = parameter(&[size as i64, 128]); let w = parameter(&[2062, 128]); let iw = parameter(&[5056, 132]);
        let ps = [h.shallow_clone(), w.shallow_clone()];
        bench("bag", size, || { let l = Tensor::embedding_bag(&iw, &batch.active, &batch.offsets, false, 0, false, None::<&Tensor>, false).0.relu().sum(Kind::Float); Tensor::run_backward(&[l], &[&iw], false, false); });
        bench("dense", size, || { let l = h.matmul(&w.transpose(0,1)).gather(1,&batch.moves,false).masked_fill(&batch.legal.logical_not(), -1e30).log_softmax(1, Kind::Float).select(1,0).sum(Kind::Float); Tensor::run_backward(&[l], &ps, false, false); });
        bench("rows*h sum", size, || { let rows = Tensor::embedding(&w, &batch.moves, -1, false, false); let l = (rows * h.unsqueeze(1)).sum_dim_intlist(2, false, Kind::Float).masked_fill(&batch.legal.logical_not(), -1e30).log_softmax(1, Kind::Float).select(1,0).sum(Kind::Float); Tensor::run_backward(&[l], &ps, false, false); });
        for chunk in [32i64, 64, 128] {
            bench(&format!("rows*h sum chunk {chunk}"), size, || {
                let hs = h.split(chunk, 0); let ms = batch.moves.split(chunk, 0);
                let ls: Vec<Tensor> = hs.iter().zip(&ms).map(|(h,m)| { let rows = Tensor::embedding(&w, m, -1, false, false); (rows * h.unsqueeze(1)).sum_dim_intlist(2, false, Kind::Float) }).collect();
                let l = Tensor::cat(&ls, 0).masked_fill(&batch.legal.logical_not(), -1e30).log_softmax(1, Kind::Float).select(1,0).sum(Kind::Float); Tensor::run_backward(&[l], &ps, false, false); });
        }

        let b2 = size as i64; let offs = crow.narrow(0,0,b2); let counts = crow.narrow(0,1,b2) - &offs;
        let o2b = Tensor::arange(b2, (Kind::Int64, Device::Cpu)).repeat_interleave_self_tensor(&counts, None, None);
        let empty = Tensor::zeros([0], (Kind::Int64, Device::Cpu));
        let (hd, wd) = (h.detach(), w.detach());
        let dots = || Tensor::internal_embedding_bag_per_sample_weights_backward(&hd, &wd, &col, &offs, &o2b, 0, -1);
        let expect = h.detach().matmul(&w.detach().transpose(0,1)).gather(1,&batch.moves,false).masked_select(&batch.legal);
        println!("diff {:?}", (dots() - expect).abs().max().double_value(&[]));
        bench("dots", size, || { dots(); });
        let g = dots();
        let dh = || Tensor::embedding_bag(&wd, &col, &offs, false, 0, false, Some(&g), false).0;
        bench("dh", size, || { dh(); });
        let dw = || Tensor::internal_embedding_bag_dense_backward(&hd, &col, &o2b, &empty, &empty, 2062, false, 0, Some(&g), -1);
        bench("dw", size, || { dw(); });
        let l = (h.matmul(&w.transpose(0,1)).gather(1,&batch.moves,false).masked_select(&batch.legal) * g.detach()).sum(Kind::Float);
        let gs = Tensor::run_backward(&[l], &ps, false, false);
        println!("dh diff {:?} dw diff {:?}", (&gs[0]-dh()).abs().max().double_value(&[]), (&gs[1]-dw()).abs().max().double_value(&[]));
        bench("three ops", size, || {
            let p = Tensor::full([size as i64, batch.width() as i64], -1e30, (Kind::Float, Device::Cpu)).masked_scatter(&batch.legal, &dots()).requires_grad_(true);
            let l = p.log_softmax(1, Kind::Float).select(1,0).sum(Kind::Float);
            let gp = Tensor::run_backward(&[l], &[&p], false, false).pop().unwrap().masked_select(&batch.legal);
            let dh = Tensor::embedding_bag(&wd, &col, &offs, false, 0, false, Some(&gp), false).0;
            let dw = Tensor::internal_embedding_bag_dense_backward(&hd, &col, &o2b, &empty, &empty, 2062, false, 0, Some(&gp), -1);
        });
        let (a, b3) = ((dw(), dh()), (dw(), dh())); println!("same {} {}", a.0.equal(&b3.0), a.1.equal(&b3.1));
    }
}
