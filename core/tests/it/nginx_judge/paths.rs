//! Paths as they came: what is refused, and what reaches the gateway untouched.

use super::client::get;
use super::{SERIES, backend, bed, site};

/// Refused on every host.
const NEVER: [&str; 6] = [r"/a\b", "/a%5cb", "/a%5Cb", r"/v1/..\..\x", "/a#b", "/v1/%5c..%5cadmin?x=1"];

/// Refused unless the route takes paths as they came.
const ODD: [&str; 9] =
    ["/a%2fb", "/a%2Fb?x=%2f", "//a", "/a//b", "/a;b=c", "/;/a", "/group%2fproject/-/blob", "/a%2f..%2fb", "//"];

/// Passed on by every host: the oddities are in the query, where they mean nothing.
const PLAIN: [&str; 5] = ["/a?next=%2fb//c;d", r"/a?x=\", "/a%20b", "/a/%7Euser/?q=%5c", "/a+b,c:@d"];

#[test]
fn odd_paths_go_only_where_a_route_says_so() {
    bed::enter();
    let gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let _edge = site::start(series, site::ordinary(), "merge_slashes off;");
        let seen = |host: &str, target: &str| {
            let status = get(host, target).status;
            let line = gateway.take().first().map(|head| head.lines().next().unwrap().to_owned());
            (status, line)
        };
        let passed = |target: &str| (200, Some(format!("GET {target} HTTP/1.1")));
        for target in NEVER {
            for host in ["platform.example.org", "git.example.org"] {
                assert_eq!(seen(host, target), (400, None), "{host}{target} with nginx {series}");
            }
        }
        for target in ODD {
            assert_eq!(seen("platform.example.org", target), (400, None), "{target} with nginx {series}");
            assert_eq!(seen("git.example.org", target), passed(target), "{target} with nginx {series}");
        }
        for target in PLAIN {
            for host in ["platform.example.org", "git.example.org"] {
                assert_eq!(seen(host, target), passed(target), "{host}{target} with nginx {series}");
            }
        }
        // A route of the same host that does not say so is not reached by a detour.
        for target in ["/x%2f..%2fadmin", "//admin", "/admin%2fx", "/admin//x", "/admin/;x", "/x/..//admin"] {
            assert_eq!(seen("git.example.org", target), (400, None), "{target} with nginx {series}");
        }
    }
}
