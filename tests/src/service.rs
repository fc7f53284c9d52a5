//! A service of hooks on 127.0.0.1, which can fail as servers do.

use std::io::Cursor;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};
use hookkit_service::Service;
use tiny_http::{Method, Response, Server};

/// A server on a free port, until it is dropped.
///
/// A path below a number answers with that status, one below `slow` after three seconds, and one below `closed` not at all.
pub struct Served {
    server: Arc<Server>,
    worker: Option<JoinHandle<()>>,
}

impl Served {
    /// Starts the server.
    ///
    /// # Errors
    ///
    /// If no port can be opened on 127.0.0.1.
    pub fn start(service: Service) -> Result<Self> {
        let server = Server::http("127.0.0.1:0").map_err(|err| anyhow::anyhow!("no port on 127.0.0.1: {err}"))?;
        let server = Arc::new(server);
        let listening = server.clone();
        let worker = thread::spawn(move || {
            for request in listening.incoming_requests() {
                let service = service.clone();
                thread::spawn(move || drop(answer(&service, request)));
            }
        });
        Ok(Self { server, worker: Some(worker) })
    }

    /// Returns the address of the server.
    ///
    /// # Errors
    ///
    /// If it listens on no port.
    pub fn url(&self) -> Result<String> {
        let address = self.server.server_addr().to_ip().context("a port")?;
        Ok(format!("http://{address}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.unblock();
        let _ = self.worker.take().map(JoinHandle::join);
    }
}

fn answer(service: &Service, mut request: tiny_http::Request) -> Result<()> {
    let url = request.url().to_owned();
    let (fault, path) = match url.split_once("/hooks/") {
        Some((fault, name)) => (fault.trim_start_matches('/').to_owned(), format!("/hooks/{name}")),
        None => (String::new(), url),
    };
    let mut body = Vec::new();
    request.as_reader().read_to_end(&mut body)?;
    let method = match request.method() {
        Method::Post => http::Method::POST,
        _ => http::Method::GET,
    };
    let mut asked = http::Request::builder().method(method).uri(path);
    for header in request.headers() {
        asked = asked.header(header.field.as_str().as_str(), header.value.as_str());
    }
    let answer = service.answer(&asked.body(body)?);
    let status = match &*fault {
        "closed" => {
            drop(request.into_writer());
            return Ok(());
        }
        "slow" => {
            thread::sleep(Duration::from_secs(3));
            answer.status().as_u16()
        }
        fault => fault.parse().unwrap_or(answer.status().as_u16()),
    };
    let length = answer.body().len();
    let body = Cursor::new(answer.into_body());
    Ok(request.respond(Response::new(status.into(), Vec::new(), body, Some(length), None))?)
}
