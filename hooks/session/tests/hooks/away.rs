//! Tests of `notify_away`, with a server on loopback and the user's own curl, or a stub for it.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::away::notify_away;
use test_support::Has;

fn run(session: &Session) -> Verdict {
    session.run(notify_away::DEF, &Recorded::of("Notification permission_prompt"))
}

#[test]
fn each_place_gets_the_notification() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let session = Session::new();
    let addresses = format!("# Both.\nntfy http://{address}/topic\nslack http://{address}/services/x\n");
    session.write("~/.config/hookkit/notify", addresses);
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
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            sender.send(String::from_utf8_lossy(&request[..length]).into_owned()).unwrap();
        }
    });
    run(&session).assert_passed();
    let requests = [(); 2].map(|()| requests.recv_timeout(Duration::from_secs(10)).unwrap());
    assert!(requests[0].starts_with("POST /topic "), "{requests:?}");
    requests[0].ends("\r\n\r\nClaude Code in project: Claude needs your permission");
    assert!(requests[1].starts_with("POST /services/x "), "{requests:?}");
    requests[1].ends("{\"text\":\"Claude Code in project: Claude needs your permission\"}");
    // The server is gone: another request would fail.
    run(&session).assert_passed();
}

#[test]
fn without_addresses_nothing_is_started() {
    let session = Session::new();
    session.program("curl", "exit 0");
    run(&session).assert_passed();
    assert!(session.started().is_empty());
}
