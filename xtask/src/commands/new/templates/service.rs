//! Answers Claude Code's HTTP hooks. `cargo xtask install --http URL` writes the entries that call it.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;
use std::{env, fs};

use axum::Router;
use hookkit_service::{Keys, Service, hooks};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tower_http::timeout::RequestBodyTimeoutLayer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address: SocketAddr = env::var("ADDRESS").as_deref().unwrap_or("127.0.0.1:8787").parse()?;
    // A file with a line for each key: a name, a blank, the key.
    let keys = match env::var_os("KEYS") {
        Some(file) => Keys::parse(&fs::read_to_string(file)?)?,
        None => Keys::none(),
    };
    let hooks = hooks![
        @hooks@
    ];
    // Each answer is a line of the log. The text of a failure is not in it, since it may quote what the model wrote.
    let service = Service::new(hooks, keys, address)?
        .with_limit(8 << 20)
        .observed(|it| println!("{} {} {:?} {:?} {}", it.hook, it.decision, it.key, it.took, it.failure.is_some()));
    // A body that does not arrive in time is a failure of the hook, which answers by its policy.
    let app = Router::new()
        .fallback_service(service)
        .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(5)));
    let listener = TcpListener::bind(address).await?;
    // SIGTERM: no new requests, and the answers that are under way are given.
    let mut end = signal(SignalKind::terminate())?;
    let ended = async move {
        end.recv().await;
    };
    Ok(axum::serve(listener, app).with_graceful_shutdown(ended).await?)
}
