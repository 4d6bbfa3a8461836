//! What every request passes before it is served, and what every answer carries.
//!
//! A page of another site must not use this server through the browser of its user. Such a page has another origin, and
//! one that makes its own name point here (DNS rebinding) sends that name as `Host`: both are refused.

use super::error::ApiError;
use super::refusal::Refusal;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The hosts that this server answers to.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    address: SocketAddr,
}

impl Hosts {
    /// Those of a server that listens at an address.
    pub(super) fn new(address: SocketAddr) -> Hosts {
        Hosts { address }
    }

    /// Whether a request that names this host is meant for this server: `localhost` or an address of the loopback
    /// interface with the right port, and any address, but no name, where the server listens beyond it.
    fn knows(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse::<u16>().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let Ok(address) = bare.parse::<IpAddr>() else { return false };
        address.is_loopback() || !self.address.ip().is_loopback()
    }

    /// Checks where a request was sent, and from where.
    fn check(&self, method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
        let forbidden = |problem: &str| Err(ApiError::new(StatusCode::FORBIDDEN, problem));
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let mut named = headers.get_all(header::HOST).iter();
        let host = match (named.next().map(|host| host.to_str().unwrap_or_default()), named.next()) {
            (Some(host), None) if self.knows(host) => host,
            _ => return forbidden("Host is not this server: use the address that jewel serve printed"),
        };
        if text(header::ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
            return forbidden("Origin is another site");
        }
        if text(HeaderName::from_static("sec-fetch-site"))
            .is_some_and(|site| !["same-origin", "none"].contains(&site))
        {
            return forbidden("the request comes from another site");
        }
        // A form of another site can send no JSON without asking first.
        let json = |kind: &str| kind.split(';').next().unwrap_or_default().trim() == "application/json";
        if *method == Method::POST && !text(header::CONTENT_TYPE).is_some_and(json) {
            return Err(ApiError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Content-Type must be application/json",
            ));
        }
        Ok(())
    }
}

/// The headers of all answers.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Refuses requests of other sites, and adds the headers.
pub(super) async fn guard(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let mut response = match hosts.check(request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => Refusal(error).into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_of_this_server() {
        let local = Hosts::new("127.0.0.1:8017".parse().unwrap());
        for host in ["localhost:8017", "LOCALHOST:8017", "127.0.0.1:8017", "[::1]:8017", "127.8.0.1:8017"] {
            assert!(local.knows(host), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:80",
            "127.0.0.1",
            "evil.example:8017",
            "localhost.evil.example:8017",
            "10.0.0.1:8017",
            "[::1]",
            "[::1",
            ":8017",
            "127.0.0.1:8017:8017",
            "127.0.0.1.evil.example:8017",
        ] {
            assert!(!local.knows(host), "{host}");
        }
        let open = Hosts::new("0.0.0.0:80".parse().unwrap());
        assert!(open.knows("10.0.0.1") && open.knows("localhost") && open.knows("[fe80::1]"));
        assert!(!open.knows("evil.example"));
    }
}
