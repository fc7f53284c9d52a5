//! `notify_away`, with a server on loopback and the user's own curl, or a stub in its place.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded, with_variables};
use hookkit_session::away::notify_away;
use tempfile::{TempDir, tempdir};

use crate::install;

const PERMISSION: &str = include_str!("../fixtures/notification/permission_prompt.json");

/// A home with these lines in the file of addresses.
fn home(lines: &str) -> TempDir {
    let home = tempdir().expect("a folder");
    let folder = home.path().join(".config/hookkit");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("notify"), lines).expect("a file");
    home
}

fn run(home: &TempDir, path: impl Into<std::ffi::OsString>) -> Verdict {
    let variables = [
        ("HOME", home.path().as_os_str().to_owned()),
        ("PATH", path.into()),
        ("XDG_STATE_HOME", home.path().join("state").into_os_string()),
    ];
    with_variables(variables, || run_recorded(notify_away::DEF, PERMISSION.as_bytes()))
}

#[test]
fn each_place_gets_the_notification() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let home = home(&format!(
        "# Both.\nntfy http://{address}/topic\nslack http://{address}/services/x\n"
    ));
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        for stream in server.incoming().take(2) {
            let mut stream = stream.unwrap();
            let mut request = vec![0; 4096];
            let mut length = 0;
            // Headers and body may come apart.
            while !String::from_utf8_lossy(&request[..length]).contains("permission") {
                let more = stream.read(&mut request[length..]).unwrap();
                assert!(more > 0, "the request ends early");
                length += more;
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                .unwrap();
            sender
                .send(String::from_utf8_lossy(&request[..length]).into_owned())
                .unwrap();
        }
    });
    let path = std::env::var_os("PATH").unwrap();
    run(&home, path.clone()).assert_passed();
    let requests = [(); 2].map(|()| requests.recv_timeout(Duration::from_secs(10)).unwrap());
    assert!(requests[0].starts_with("POST /topic "), "{requests:?}");
    assert!(
        requests[0].ends_with("\r\n\r\nClaude Code in project: Claude needs your permission"),
        "{requests:?}"
    );
    assert!(requests[1].starts_with("POST /services/x "), "{requests:?}");
    assert!(
        requests[1].ends_with("{\"text\":\"Claude Code in project: Claude needs your permission\"}"),
        "{requests:?}"
    );
    // The server is gone: another request would fail.
    run(&home, path).assert_passed();
}

#[test]
fn without_addresses_nothing_is_started() {
    let home = tempdir().unwrap();
    install(&home.path().join("bin/curl"), "touch \"$0.started\"");
    run(&home, home.path().join("bin")).assert_passed();
    assert!(!home.path().join("bin/curl.started").exists());
}
