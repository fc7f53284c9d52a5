//! Implements tower's `Service`, for axum, hyper and other servers that run such services.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hookkit::service as runtime;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};

use crate::Service;

/// Reads the body, and answers on the thread that polls the future. Run a hook that waits for something else on a
/// thread of its own, with [`Service::answer`].
impl<B> tower_service::Service<Request<B>> for Service
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let head = Request::from_parts(parts, ());
            let response = match service.asked(&head) {
                // The body of a rejected request is not read.
                Err(plain) => plain.response(),
                Ok(asked) => match Limited::new(body, service.0.limit).collect().await {
                    Ok(body) => {
                        let body = body.to_bytes();
                        service.run(&asked, |hook, key| runtime::answer(hook, &body, key))
                    }
                    Err(err) if err.is::<LengthLimitError>() => service.refuse(&asked, &service.too_large()),
                    Err(err) => service.refuse(&asked, &format!("the request cannot be read: {err}")),
                },
            };
            Ok(response.map(|body| Full::new(body.into())))
        })
    }
}
