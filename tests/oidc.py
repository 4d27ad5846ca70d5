"""A small OIDC provider of the tests' own: it signs real tokens, and wrong ones where it is told to."""

import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "tarstop", "the client's secret"
HOURS = 3600


class OidcProvider:
    """Logs in whoever is named as `person`, at once and without a question.

    Attributes
    ----------
    claims : dict
        What the next tokens say otherwise than they should.
    signs_with : RSAKey
        The key of the next tokens; its own one is published.
    """

    def __init__(self) -> None:
        self.key = self.signs_with = RSAKey.generate_key(2048, {"kid": "own"})
        self.person, self.claims, self.nonces = "ann@example.org", dict[str, Any](), dict[str, str]()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(asked.query).items()}
                if asked.path == "/authorize":
                    code = secrets.token_urlsafe()
                    provider.nonces[code] = query["nonce"]
                    self.send_response(302)
                    back = urlencode({"code": code, "state": query["state"]})
                    self.send_header("Location", f"{query['redirect_uri']}?{back}")
                    self.end_headers()
                elif asked.path == "/keys":
                    self._say({"keys": [provider.key.as_dict(private=False)]})
                else:
                    self._say(provider.metadata)

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                code = parse_qs(self.rfile.read(length).decode())["code"][0]
                token = provider.token(provider.nonces.pop(code))
                self._say(
                    {"access_token": "x", "token_type": "Bearer", "id_token": token, "expires_in": HOURS}
                )

            def _say(self, content: object) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(content).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.metadata = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def token(self, nonce: str) -> str:
        """A signed token of the person."""
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": self.person,
            "nonce": nonce,
            "email": self.person,
            "email_verified": True,
            "iat": int(time.time()),
            "exp": int(time.time()) + HOURS,
            **self.claims,
        }
        header = {"alg": "RS256", "kid": "own"}
        return jwt.encode(
            header, {name: value for name, value in claims.items() if value is not None}, self.signs_with
        )

    def login_file(self, server: str, **more: object) -> str:
        """What a file for `--login` says of it."""
        content = {
            "client_id": CLIENT,
            "client_secret": SECRET,
            "people": ["@example.org"],
            "server_metadata_url": f"{self.url}/.well-known/openid-configuration",
            "redirect_uri": f"{server}/oauth2callback",
            "cookie_secret": secrets.token_hex(32),
            **more,
        }
        return "\n".join(f"{name} = {json.dumps(value)}" for name, value in content.items())

    def __enter__(self) -> "OidcProvider":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()
