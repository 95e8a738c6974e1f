"""The guard against private addresses, redirects and names that change their mind."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from gra_skill_web_search.sources import addresses


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.8.9.1", "localhost", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "2130706433", "0x7f000001", "127.1", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255", "240.0.0.1", "[ff02::1]",
    ],
)  # fmt: skip
def test_private_addresses_are_refused(call, host):
    error = call("read_web_page", url=f"http://{host}/latest/meta-data").error
    assert error.kind in ("not_available", "not_found"), error
    if error.kind == "not_available":
        assert "not on the public internet" in error.message
        assert "allow_private_hosts" in error.hint


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "93.184.215.14",
        "2606:4700:4700::1111",
        "64:ff9b::808:808",
        "::ffff:8.8.8.8",
        "2002:808:808::",
    ],
)
def test_public_addresses(address):
    assert addresses.is_public(ipaddress.ip_address(address))


@pytest.fixture
def only_one_is_public(monkeypatch):
    """127.0.0.1 plays the public internet; every other address is what it is."""
    real = addresses.is_public
    monkeypatch.setattr(addresses, "is_public", lambda a: str(a) == "127.0.0.1" or real(a))


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2:{port}/inner",
        "http://169.254.169.254/x",
        "//localhost.:{port}/inner",
        "file:///etc/passwd",
    ],
)
def test_redirects_are_checked(httpserver, call, only_one_is_public, monkeypatch, target):
    resolve(monkeypatch, {"localhost.": ["127.0.0.3"]})
    httpserver.expect_request("/inner").respond_with_data("secret", content_type="text/plain")
    location = target.format(port=httpserver.port)
    httpserver.expect_request("/out").respond_with_data("", status=302, headers={"Location": location})
    error = call("read_web_page", url=f"http://127.0.0.1:{httpserver.port}/out").error
    assert error.kind in ("not_available", "bad_argument")


def test_redirects_are_followed_and_bounded(httpserver, call, only_one_is_public):
    httpserver.expect_request("/a").respond_with_data("", status=301, headers={"Location": "b?x=1"})
    httpserver.expect_request("/b").respond_with_data("words", content_type="text/plain")
    httpserver.expect_request("/loop").respond_with_data("", status=307, headers={"Location": "/loop"})
    base = f"http://127.0.0.1:{httpserver.port}"
    assert call("read_web_page", url=base + "/a").content["url"] == base + "/b?x=1"
    error = call("read_web_page", url=base + "/loop").error
    assert (error.kind, "more than 5 redirects" in error.message) == ("upstream", True)


def resolve(monkeypatch, names):
    """Answer name look-ups from a table whose entries are used up; numeric addresses are looked up as ever."""
    real = socket.getaddrinfo

    def look_up(host, port, *args, **kwargs):
        if host not in names:
            return real(host, port, *args, **kwargs)
        found = names[host].pop(0) if isinstance(names[host][0], list) else names[host]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def test_a_name_is_resolved_once_and_the_checked_address_is_used(
    httpserver, call, only_one_is_public, monkeypatch
):
    resolve(monkeypatch, {"changing.test": [["127.0.0.1"], ["127.0.0.2"]]})
    hosts = []

    def page(request):
        hosts.append(request.host)
        return Response("words", content_type="text/plain")

    httpserver.expect_request("/p").respond_with_handler(page)
    url = f"http://changing.test:{httpserver.port}/p"
    assert call("read_web_page", url=url).content["text"] == "words"
    assert hosts == [f"changing.test:{httpserver.port}"]
    assert call("read_web_page", url=url).error.kind == "not_available"


def test_a_name_with_one_private_address_is_refused(call, only_one_is_public, monkeypatch):
    resolve(monkeypatch, {"mixed.test": ["127.0.0.1", "10.0.0.1"]})
    assert call("read_web_page", url="http://mixed.test/").error.kind == "not_available"


def test_an_unknown_name(call, monkeypatch):
    def fail(*_args, **_kwargs):
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    error = call("read_web_page", url="http://no-such-host.invalid/").error
    assert error.kind == "not_found"


def test_the_next_address_is_tried(httpserver, call, monkeypatch):
    resolve(monkeypatch, {"two.test": ["127.0.0.2", "127.0.0.1"]})
    httpserver.expect_request("/p").respond_with_data("words", content_type="text/plain")
    url = f"http://two.test:{httpserver.port}/p"
    assert call("read_web_page", url=url, settings={"allow_private_hosts": True}).content["text"] == "words"


def test_the_source_setting_allows_private_hosts_too(httpserver, call):
    httpserver.expect_request("/p").respond_with_data("words", content_type="text/plain")
    url = httpserver.url_for("/p")
    assert call("read_web_page", url=url).error.kind == "not_available"
    assert (
        call("read_web_page", url=url, sources={"http-pages": {"allow_private_hosts": True}}).status == "ok"
    )


def certificate(folder, name):
    """A self-signed certificate for a name: the PEM file."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.mark.parametrize(("host", "fine"), [("right.test", True), ("wrong.test", False)])
def test_certificates_are_checked_against_the_name(tmp_path, call, monkeypatch, host, fine):
    file = certificate(tmp_path, "right.test")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    resolve(monkeypatch, {host: ["127.0.0.1"]})
    with HTTPServer(host="127.0.0.1", port=0, ssl_context=context) as server:
        server.expect_request("/p").respond_with_data("words", content_type="text/plain")
        result = call(
            "read_web_page",
            url=f"https://{host}:{server.port}/p",
            settings={"allow_private_hosts": True},
            sources={"http-pages": {"retries": 0}},
        )
    assert (result.status == "ok") is fine
    if not fine:
        assert "CERTIFICATE_VERIFY_FAILED" in result.error.message
