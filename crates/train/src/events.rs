//! Scalars for `TensorBoard`.
//!
//! One thread per [`EventWriter`] writes one event file: records framed by `tensorboard_rs`, messages of
//! `tensorboard_proto`. Its ready-made `SummaryWriter` is not used: it panics when a write fails, and two of them in
//! one folder within a second write over each other.
//!
//! **Starting again.** Each writer makes a new file whose name sorts behind all that are there, and which says at
//! its head from which step it goes on. `TensorBoard` then drops the points of earlier files from that step on, so
//! that a run killed after its last snapshot shows no step twice.

use protobuf::Message as _;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};
use tensorboard_proto::event::{Event, SessionLog, SessionLog_SessionStatus};
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary::scalar;

/// Events on the way to the file. When so many are waiting, [`EventWriter::scalar`] waits too.
const QUEUE: usize = 4096;

/// An event file that can't be made or written.
#[derive(Debug, thiserror::Error)]
#[error("no TensorBoard events from here on: cannot write {}: {source}", path.display())]
pub struct EventError {
    /// The file, or the folder it should be made in.
    pub path: PathBuf,
    /// The system's reason.
    pub source: io::Error,
}

/// Writes scalars by name into a folder. Dropping it writes what is waiting and closes the file.
///
/// One at a time per folder: the latest one's points count, see the module's page.
#[derive(Debug)]
pub struct EventWriter {
    queue: Option<SyncSender<Scalar>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Scalar {
    name: String,
    value: f32,
    step: u64,
}

impl EventWriter {
    /// Begins a new event file in `folder` (made if missing) whose points start at `first_step`: points from that
    /// step on in the folder's earlier files no longer count.
    ///
    /// `clock` gives the time that events carry. `on_failure` is called, on the writer's thread, at the first
    /// failure, that of making the file included; after it all scalars are dropped.
    pub fn new(
        folder: impl Into<PathBuf>,
        first_step: u64,
        clock: impl Fn() -> SystemTime + Send + 'static,
        on_failure: impl FnOnce(EventError) + Send + 'static,
    ) -> Self {
        let folder = folder.into();
        let (queue, scalars) = mpsc::sync_channel(QUEUE);
        let thread = std::thread::spawn(move || {
            let file =
                create(&folder, seconds(&clock) as u64).map_err(|source| EventError { path: folder, source });
            let written = file.and_then(|(file, path)| {
                write_all(file, first_step, &scalars, &clock).map_err(|source| EventError { path, source })
            });
            if let Err(error) = written {
                on_failure(error);
            }
        });
        Self { queue: Some(queue), thread: Some(thread) }
    }

    /// Writes one point of the chart with this name.
    pub fn scalar(&mut self, name: &str, value: f64, step: u64) {
        let scalar = Scalar { name: name.to_owned(), value: value as f32, step };
        if let Some(queue) = &self.queue
            && queue.send(scalar).is_err()
        {
            // The thread is gone after a failure, and has said so.
            self.queue = None;
        }
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // It ends by a panic only if `on_failure` panicked.
            thread.join().ok();
        }
    }
}

fn seconds(clock: &impl Fn() -> SystemTime) -> f64 {
    clock().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Writes until the other end of the queue is closed. The file is flushed whenever nothing is waiting.
fn write_all(
    file: File,
    first_step: u64,
    scalars: &Receiver<Scalar>,
    clock: &impl Fn() -> SystemTime,
) -> io::Result<()> {
    let mut records = RecordWriter::new(BufWriter::new(file));
    for head in [version(), session_start(first_step)] {
        write(&mut records, head, seconds(clock))?;
    }
    loop {
        let next = match scalars.try_recv() {
            Ok(scalar) => scalar,
            Err(TryRecvError::Disconnected) => return records.flush(),
            Err(TryRecvError::Empty) => {
                records.flush()?;
                let Ok(scalar) = scalars.recv() else { return Ok(()) };
                scalar
            }
        };
        write(&mut records, point(&next), seconds(clock))?;
    }
}

/// Makes a file that is nobody else's. `TensorBoard` reads the files of a folder in the order of their names, so the
/// name begins with the second of now, or the one after the latest file's if the clock is not beyond that.
fn create(folder: &Path, now_secs: u64) -> io::Result<(File, PathBuf)> {
    fs::create_dir_all(folder)?;
    let mut secs = now_secs;
    for entry in fs::read_dir(folder)? {
        if let Some(taken) = entry?.file_name().to_str().and_then(seconds_of) {
            secs = secs.max(taken.saturating_add(1));
        }
    }
    loop {
        let path = folder.join(format!("{PREFIX}{secs:010}.meihua"));
        match File::create_new(&path) {
            // Another writer was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => secs += 1,
            Err(error) => return Err(error),
            Ok(file) => return Ok((file, path)),
        }
    }
}

const PREFIX: &str = "events.out.tfevents.";

fn seconds_of(name: &str) -> Option<u64> {
    name.strip_prefix(PREFIX)?.split('.').next()?.parse().ok()
}

fn write(records: &mut RecordWriter<BufWriter<File>>, mut event: Event, wall_secs: f64) -> io::Result<()> {
    event.set_wall_time(wall_secs);
    records.write(&event.write_to_bytes().map_err(io::Error::other)?)
}

fn version() -> Event {
    let mut event = Event::new();
    event.set_file_version("brain.Event:2".to_owned());
    event
}

/// "Points from this step on are mine": what `TensorBoard`'s own writers call the purge step.
fn session_start(first_step: u64) -> Event {
    let mut session = SessionLog::new();
    session.set_status(SessionLog_SessionStatus::START);
    let mut event = Event::new();
    event.set_session_log(session);
    event.set_step(first_step as i64);
    event
}

fn point(of: &Scalar) -> Event {
    let mut event = Event::new();
    event.set_summary(scalar(&of.name, of.value));
    event.set_step(of.step as i64);
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tensorboard_rs::masked_crc32c::masked_crc32c;

    fn clock() -> SystemTime {
        UNIX_EPOCH + Duration::from_hours(500_000)
    }

    fn writer(folder: &Path, first_step: u64) -> EventWriter {
        EventWriter::new(folder, first_step, clock, |error| panic!("{error}"))
    }

    /// Reads the folder as `TensorBoard` does: files by name, a session start purges.
    fn read(folder: &Path) -> Vec<(String, i64, f32)> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let mut points = Vec::new();
        for file in files {
            for (number, event) in records(&fs::read(file).unwrap()).into_iter().enumerate() {
                assert_eq!(event.get_file_version() == "brain.Event:2", number == 0);
                assert!((event.get_wall_time() - 1.8e9).abs() < 1e-3);
                if event.has_session_log() {
                    points.retain(|&(_, step, _)| step < event.get_step());
                }
                for value in event.get_summary().get_value() {
                    points.push((value.get_tag().to_owned(), event.get_step(), value.get_simple_value()));
                }
            }
        }
        points
    }

    fn records(mut bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some((head, rest)) = bytes.split_at_checked(12) {
            let length = u64::from_le_bytes(head[..8].try_into().unwrap()) as usize;
            assert_eq!(head[8..], masked_crc32c(&head[..8]).to_le_bytes());
            let (data, rest) = rest.split_at(length);
            assert_eq!(rest[..4], masked_crc32c(data).to_le_bytes());
            events.push(Event::parse_from_bytes(data).unwrap());
            bytes = &rest[4..];
        }
        assert!(bytes.is_empty());
        events
    }

    #[test]
    fn what_is_written_is_read_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut events = writer(folder.path(), 0);
        events.scalar("loss/policy", 3.5, 0);
        events.scalar("loss/value", 1.0, 0);
        events.scalar("loss/policy", 3.25, 1);
        drop(events);
        let expected = [("loss/policy", 0, 3.5), ("loss/value", 0, 1.0), ("loss/policy", 1, 3.25)];
        assert_eq!(read(folder.path()), expected.map(|(name, step, value)| (name.to_owned(), step, value)));
    }

    /// tensorboardX #116, #185: stopped at step 100, started again from the snapshot of step 80.
    #[test]
    fn starting_again_shows_no_step_twice() {
        let folder = tempfile::tempdir().unwrap();
        for (steps, value) in [(0..100, 1.0), (80..120, 2.0)] {
            let mut events = writer(folder.path(), steps.start);
            steps.for_each(|step| events.scalar("loss", value, step));
        }
        let points = read(folder.path());
        assert!(points.iter().map(|&(_, step, _)| step).eq(0..120));
        assert!(points.iter().all(|&(_, step, value)| (value > 1.5) == (step >= 80)));
    }

    #[test]
    fn writers_in_the_same_folder_and_second_keep_out_of_each_others_way() {
        let folder = tempfile::tempdir().unwrap();
        let mut writers: Vec<_> = (0..4).map(|_| writer(folder.path(), 0)).collect();
        for events in &mut writers {
            events.scalar("chart", 1.0, 5);
        }
        drop(writers);
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 4);
        assert!(files.iter().all(|file| records(&fs::read(file).unwrap()).len() == 3));
    }

    /// pytorch #35188: opening the file for each event.
    #[test]
    fn ten_thousand_scalars_make_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut events = writer(folder.path(), 0);
        (0..10_000).for_each(|step| events.scalar("loss", 1.0, step));
        drop(events);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(read(folder.path()).len(), 10_000);
    }

    fn failures(folder: impl Into<PathBuf>) -> Vec<EventError> {
        let (failure, failures) = mpsc::channel();
        let mut events = EventWriter::new(folder, 0, clock, move |error| failure.send(error).unwrap());
        (0..20_000).for_each(|step| events.scalar("loss", 1.0, step));
        drop(events);
        failures.iter().collect()
    }

    #[test]
    fn a_failure_is_one_warning_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "in the way").unwrap();
        let failed = failures(file.join("events"));
        assert_eq!(failed.len(), 1);
        assert!(failed[0].to_string().contains("file/events"), "{}", failed[0]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_and_no_panic() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (queue, scalars) = mpsc::sync_channel(1);
        drop(queue);
        let error = write_all(full, 0, &scalars, &clock).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
