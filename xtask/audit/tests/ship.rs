//! The audit reaches a collector that stops and starts, each line at least once and with a single id.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "the folders are those of the tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use hookkit_audit::{Patience, Shipped, Target};
use hookkit_spool::{Limits, Spool, State, new_id};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use tempfile::TempDir;
use tiny_http::{Response, Server};

/// A line as hookkit writes it, from its own tests.
const LINE: &str = include_str!("../../../hookkit/lines/audit.jsonl");

const QUICK: Patience = Patience { attempts: 4, pause: Duration::from_millis(5) };

/// Limits that close a segment after a few lines.
fn limits() -> Limits {
    Limits { segment: 20_000, ..Limits::default() }
}

/// Returns a new line and its id.
fn line() -> (String, String) {
    let id = new_id(SystemTime::now());
    (LINE.replacen("ID", &id, 1), id)
}

fn spool(folder: &Path, count: usize) -> (Spool, Vec<String>) {
    let spool = Spool::new(folder, limits());
    let append = |_| {
        let (line, id) = line();
        spool.append(line.as_bytes(), Duration::from_secs(20)).unwrap();
        id
    };
    let ids = (0..count).map(append).collect();
    (spool, ids)
}

fn records(message: &str) -> Vec<LogRecord> {
    let request: ExportLogsServiceRequest = serde_json::from_str(message).unwrap();
    let scopes = request.resource_logs.into_iter().flat_map(|logs| logs.scope_logs);
    scopes.flat_map(|scope| scope.log_records).collect()
}

fn attributes(record: &LogRecord) -> BTreeMap<String, String> {
    let attributes = record.attributes.iter().map(|attribute| {
        let value = match attribute.value.as_ref().unwrap().value.as_ref().unwrap() {
            Value::StringValue(text) => text.clone(),
            Value::IntValue(number) => number.to_string(),
            other => panic!("{other:?}"),
        };
        (attribute.key.clone(), value)
    });
    attributes.collect()
}

/// Reaction of the collector to a request.
#[derive(Clone, Copy)]
enum Does {
    Take,
    Answer(u16, &'static str),
    /// Accepts the lines, but cuts off the response.
    TakeAndBreak,
    /// Accepts the lines, and kills the process that sent them.
    TakeAndKill,
}

/// A collector on this machine.
struct Collector {
    server: Arc<Server>,
    /// Number of times that each id was received.
    taken: Arc<Mutex<BTreeMap<String, usize>>>,
    process: Arc<Mutex<Option<u32>>>,
    thread: Option<JoinHandle<()>>,
}

impl Collector {
    /// Starts a collector that follows this script for its first requests, and accepts all others.
    fn start(script: Vec<Does>) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let taken = Arc::new(Mutex::new(BTreeMap::new()));
        let process = Arc::new(Mutex::new(None::<u32>));
        let (requests, ids, killed) = (Arc::clone(&server), Arc::clone(&taken), Arc::clone(&process));
        let thread = thread::spawn(move || {
            let mut script = script.into_iter();
            for mut request in requests.incoming_requests() {
                assert_eq!(request.url(), "/v1/logs");
                let mut text = String::new();
                request.as_reader().read_to_string(&mut text).unwrap();
                let does = script.next().unwrap_or(Does::Take);
                if !matches!(does, Does::Answer(..)) {
                    for record in records(&text) {
                        *ids.lock().unwrap().entry(attributes(&record)["log.record.uid"].clone()).or_default() += 1;
                    }
                }
                match does {
                    Does::Take => drop(request.respond(Response::from_string("{}"))),
                    Does::Answer(code, text) => {
                        drop(request.respond(Response::from_string(text).with_status_code(code)));
                    }
                    Does::TakeAndBreak => {
                        let mut writer = request.into_writer();
                        let _ = writer
                            .write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n")
                            .and_then(|()| writer.flush());
                    }
                    Does::TakeAndKill => {
                        let process = killed.lock().unwrap().unwrap().to_string();
                        assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
                    }
                }
            }
        });
        Self { server, taken, process, thread: Some(thread) }
    }

    fn target(&self) -> Target {
        Target::parse(&self.address(), |_| None).unwrap()
    }

    fn address(&self) -> String {
        format!("otlp://{}", self.server.server_addr())
    }

    fn taken(&self) -> BTreeMap<String, usize> {
        self.taken.lock().unwrap().clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.server.unblock();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || thread::panicking());
    }
}

fn ship(folder: &Path, target: &Target, patience: Patience) -> Result<Shipped> {
    let mut shipped = Shipped::default();
    hookkit_audit::ship(folder, target, patience, &mut shipped).map(|()| shipped)
}

fn folder() -> TempDir {
    test_support::folder()
}

#[test]
fn a_line_is_a_log_record_of_the_published_protobuf() {
    let (line, id) = line();
    let records = records(&line);
    let [record] = &records[..] else { panic!("{records:?}") };
    let attributes = attributes(record);
    assert_eq!(attributes["log.record.uid"], id);
    assert_eq!(attributes["tool_use_id"], "toolu_1");
    assert_eq!(attributes["hookkit.decision"], "deny");
    assert_eq!(attributes["duration_us"], "812");
    assert_eq!((record.time_unix_nano, record.severity_number), (1_764_054_000_123_000_000, 13));
    assert_eq!((&*record.severity_text, &*record.event_name), ("WARN", "hookkit.decision"));
    assert!(record.body.is_some());
}

#[test]
fn a_collector_that_stops_and_starts_gets_each_line_at_least_once_with_one_id() {
    let folder = folder();
    let (spool, ids) = spool(folder.path(), 2000);
    let stumbles = [
        Does::Answer(503, ""),
        Does::Take,
        Does::TakeAndBreak,
        Does::Answer(429, ""),
        Does::Take,
        Does::Answer(502, ""),
    ];
    let script = stumbles.iter().copied().cycle().take(40).collect();
    let collector = Collector::start(script);
    let shipped = ship(folder.path(), &collector.target(), QUICK).unwrap();
    assert_eq!((shipped.lines, shipped.is_clean()), (2000, true));
    let taken = collector.taken();
    assert_eq!(taken.keys().collect::<BTreeSet<_>>(), ids.iter().collect());
    assert!(taken.values().any(|times| *times > 1), "some came twice");
    let states = spool.segments().unwrap();
    assert!(states.len() > 50 && states.iter().all(|segment| segment.state != State::Closed));
    // Nothing is left, and new lines are shipped from there.
    let again = |expected| assert_eq!(ship(folder.path(), &collector.target(), QUICK).unwrap().lines, expected);
    again(0);
    spool.append(line().0.as_bytes(), Duration::from_secs(20)).unwrap();
    again(1);
}

#[test]
fn a_collector_that_is_not_there_loses_nothing() {
    let folder = folder();
    let (_, ids) = spool(folder.path(), 100);
    for refusal in [
        Does::Answer(400, "no such field"),
        Does::Answer(413, ""),
        Does::Answer(500, ""),
        Does::Answer(301, ""),
        Does::Answer(200, "<html>"),
        Does::Answer(200, "[]"),
    ] {
        let collector = Collector::start(vec![refusal; 400]);
        ship(folder.path(), &collector.target(), QUICK).unwrap_err();
    }
    let gone = Collector::start(Vec::new()).address();
    let err = ship(folder.path(), &Target::parse(&gone, |_| None).unwrap(), QUICK).unwrap_err();
    assert!(format!("{err:#}").contains("the next run sends it again"), "{err:#}");
    let collector = Collector::start(Vec::new());
    assert_eq!(ship(folder.path(), &collector.target(), QUICK).unwrap().lines, 100);
    assert_eq!(collector.taken().len(), ids.len());
}

#[test]
fn a_run_that_is_killed_after_the_collector_took_a_batch_sends_it_again() {
    let folder = folder();
    let (_, ids) = spool(folder.path(), 300);
    let mut times = BTreeMap::new();
    let mut add = |collector: &Collector| {
        for (id, taken) in collector.taken() {
            *times.entry(id).or_insert(0) += taken;
        }
    };
    for kills in 0..4 {
        let mut script = vec![Does::Take; kills];
        script.push(Does::TakeAndKill);
        let collector = Collector::start(script);
        // The program has its id before it sends.
        let program = env!("CARGO_BIN_EXE_hookkit-audit");
        let mut process = collector.process.lock().unwrap();
        let mut child = Command::new(program).arg(folder.path()).arg(collector.address()).spawn().unwrap();
        *process = Some(child.id());
        drop(process);
        assert_eq!(child.wait().unwrap().code(), None);
        add(&collector);
    }
    let collector = Collector::start(Vec::new());
    ship(folder.path(), &collector.target(), QUICK).unwrap();
    add(&collector);
    assert_eq!(times.keys().collect::<BTreeSet<_>>(), ids.iter().collect());
    assert!(times.values().any(|times| *times == 2) && times.values().all(|times| *times <= 5));
}

#[test]
fn lines_that_hooks_write_meanwhile_are_shipped_too() {
    let folder = folder();
    let collector = Collector::start([Does::Answer(503, ""), Does::TakeAndBreak, Does::Take].repeat(20));
    let is_done = AtomicBool::new(false);
    let ids = thread::scope(|scope| {
        let writers: Vec<_> = (0..4).map(|_| scope.spawn(|| spool(folder.path(), 400).1)).collect();
        let shipper = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let _ = ship(folder.path(), &collector.target(), QUICK);
            }
        });
        let ids: Vec<_> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        is_done.store(true, Ordering::Relaxed);
        shipper.join().unwrap();
        ids
    });
    ship(folder.path(), &collector.target(), QUICK).unwrap();
    let taken = collector.taken();
    assert_eq!(taken.keys().collect::<BTreeSet<_>>(), ids.iter().collect());
}

#[test]
fn a_file_has_whole_lines_even_after_a_run_that_was_killed() {
    let folder = folder();
    let audit = folder.path().join("audit");
    let (_, ids) = spool(&audit, 100);
    let path = folder.path().join("all.jsonl");
    fs::write(&path, &line().0[..100]).unwrap();
    let target = Target::parse(&format!("file:{}", path.display()), |_| None).unwrap();
    assert_eq!(ship(&audit, &target, QUICK).unwrap().lines, 100);
    let text = fs::read_to_string(&path).unwrap();
    let found: Vec<_> = text.lines().map(|line| attributes(&records(line)[0])["log.record.uid"].clone()).collect();
    assert_eq!(found, ids);
}

#[test]
fn a_file_of_the_user_is_not_changed_and_a_new_one_is_the_users_alone() {
    let folder = folder();
    let audit = folder.path().join("audit");
    spool(&audit, 1);
    let path = folder.path().join("notes");
    let target = Target::parse(&format!("file:{}", path.display()), |_| None).unwrap();
    for text in ["one\nand the last line", "{\"resourceLogs\":1"] {
        fs::write(&path, text).unwrap();
        let err = ship(&audit, &target, QUICK).unwrap_err();
        assert!(err.to_string().contains("use a new file"), "{err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(ship(&audit, &target, QUICK).unwrap().lines, 1);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_line_that_the_collector_refuses_is_left_out_and_the_others_arrive() {
    for code in [400, 413] {
        let folder = folder();
        let (_, ids) = spool(folder.path(), 4);
        let refused = Does::Answer(code, "no");
        let collector = Collector::start(vec![refused, Does::Take, refused, refused]);
        let shipped = ship(folder.path(), &collector.target(), QUICK).unwrap();
        assert_eq!((shipped.lines, shipped.rejected.0), (3, 1));
        assert!(shipped.rejected.1.ends_with("no"), "{shipped}");
        let taken: Vec<_> = collector.taken().into_keys().collect();
        assert_eq!(taken, [&*ids[0], &ids[1], &ids[3]]);
        assert_eq!(ship(folder.path(), &collector.target(), QUICK).unwrap().lines, 0);
    }
}

#[test]
fn the_counts_are_printed_before_an_error_and_no_proxy_is_asked_for_this_machine() {
    let folder = folder();
    spool(folder.path(), 40);
    let partial = r#"{"partialSuccess":{"rejectedLogRecords":2,"errorMessage":"too old"}}"#;
    let collector = Collector::start(vec![Does::Answer(200, partial), Does::Answer(500, "down")]);
    let mut program = Command::new(env!("CARGO_BIN_EXE_hookkit-audit"));
    for name in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy"] {
        program.env(name, "http://127.0.0.1:1");
    }
    let output = program.arg(folder.path()).arg(collector.address()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("rejected 2 lines: too old") && said.contains("answers 500: down"), "{said}");
}

#[test]
fn damaged_and_rejected_lines_are_counted_and_do_not_stop_the_others() {
    let folder = folder();
    let (spool, _) = spool(folder.path(), 3);
    let open = spool.segments().unwrap().pop().unwrap().path;
    let mut file = OpenOptions::new().append(true).open(open).unwrap();
    let other = line().0.replace("]}\n", "],\"x\":1}");
    writeln!(file, "not JSON\n{}\n{other}", &line().0[..200]).unwrap();
    let partial = r#"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}"#;
    let collector = Collector::start(vec![Does::Answer(200, partial)]);
    let shipped = ship(folder.path(), &collector.target(), QUICK).unwrap();
    let expected = Shipped { lines: 1, damaged: 3, rejected: (2, "too old".to_owned()) };
    assert_eq!(shipped, expected);
    let said = shipped.to_string();
    assert!(said.contains("3 damaged lines") && said.contains("rejected 2 lines: too old"), "{said}");
}

#[test]
fn only_one_run_ships_a_folder() {
    let folder = folder();
    spool(folder.path(), 1);
    let _lock = hookkit_spool::lock_to_ship(folder.path()).unwrap().unwrap();
    let target = Target::parse("stdout", |_| None).unwrap();
    let err = ship(folder.path(), &target, QUICK).unwrap_err();
    assert!(err.to_string().contains("another run"), "{err}");
}
