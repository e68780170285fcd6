// Package jwtauth verifies OAuth 2.0 access tokens for package streamhttp: JWTs (RFC 9068) by their
// signature, or any tokens by asking the authorization server (introspection, RFC 7662).
//
//	verifier, err := jwtauth.New(jwtauth.Options{Issuer: "https://auth.example.com"})
//	…
//	defer verifier.Close()
//	guard, err := streamhttp.Protect(verifier.Verify, streamhttp.ProtectedResource{
//		Resource:             "https://mcp.example.com/mcp",
//		AuthorizationServers: []string{"https://auth.example.com"},
//	})
//
// A [Verifier] is for one issuer. It sends its first request when the first token arrives, so a
// server also starts while its issuer is down.
//
// # What is checked
//
// For a JWT, in this order: that it is signed, not encrypted, with an asymmetric algorithm (RS256,
// RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or EdDSA); the typ "at+jwt" (see
// AllowUntyped in [Options]); that there are exp and aud; iss, exp, nbf, iat, and that there is a
// subject or client; and the signature, by a key of the issuer that fits the algorithm. Names of
// claims are compared with their case, and a token in which one is present twice is invalid. A
// token that is bound to a key of its client (cnf, as with DPoP) is refused, because the key is not
// checked.
//
// With introspection: "active", and of the other claims those that the answer has. An answer
// without aud is refused, see AllowNoAudience in [Introspection]. An answer without sub is about a
// client that acts for itself. If it has a username, it is refused, because all users of the client
// would have the same principal.
//
// A token that the issuer calls a refresh token or ID token, in token_use, token_type or the claim
// typ, is refused: introspection endpoints also call refresh tokens active.
//
// After that, package streamhttp compares aud with the resource, also of Audiences, and the scopes
// with those that are needed. So while the issuer is down, a token for another resource gets status
// 503 if the keys are too old, and not 401. The answers are:
//
//	401  invalid_token: the token is invalid, or for another resource
//	403  insufficient_scope: the token is valid, but lacks the scopes in the challenge
//	503  the issuer could not be asked; with a Retry-After header
//
// The log has the reason. Clients do not get it, and it has no tokens. Clients without a valid token
// cannot fill the log: their failures are logged at level debug, see [log/slog.SetLogLoggerLevel].
// If the issuer becomes unavailable, there is one record at level warn, and one at level info when
// it can be used again; outages within a minute of the previous one have none.
//
// # What tools get
//
// The principal is the issuer, "#" and the subject: "https://auth.example.com#ada". Of a token
// without a subject, it is the issuer, "?client_id=" and the client. Scopes are those in scope, or
// in scp. Map in [Options] can change both, for example to add the scopes that a broader scope
// includes.
//
// Claims in mcptool.CallInfo are the payload of the JWT, or the answer of the introspection endpoint.
// Map can replace them, or set them to nil. Tokens are not passed to tools.
//
// # Keys
//
// The location of the keys is in the metadata of the issuer (RFC 8414, or OpenID Connect
// Discovery), whose "issuer" must be the configured one. Requests go only to the host of the issuer
// and to the URLs in [Options], over https, or http on the same machine. Redirects are not
// followed. A fetch takes at most 5 seconds, and each answer has at most 256 KiB. At most one fetch
// runs at a time, and the next begins 5 seconds after its end at the earliest.
//
//   - Keys are fetched again when a token is signed with an unknown one, and in the background when
//     they are 10 minutes old. After 20 minutes without a request, the first request waits for
//     them.
//   - A key that is no longer published is accepted until 20 minutes after the last fetch that
//     contained it, because not all issuers keep the old key published until its tokens expire.
//     If an issuer withdraws all of its keys, they are accepted as long, and the log has a warning.
//   - If keys cannot be fetched, the old ones are used for 24 hours (KeyMaxAge in [Options]). After
//     that, and before the first success, the answer is status 503.
//   - A token with an unknown key is invalid only if the keys were fetched after its arrival. If
//     that fails, or has to wait for the end of the 5 seconds, the answer is 503, not 401: a client
//     would discard a token that may be valid, such as one of a key that is 1 second old. Made-up
//     tokens do not prolong that time.
//
// # Caching and revocation
//
// The result for a valid token is cached until it expires, at most for 5 minutes, or for 1 minute
// with introspection, and tokens that the issuer calls inactive are refused for 10 seconds without
// asking again (CacheFor in [Options]). The cache has at most 16384 results, fewer if their claims
// take more than 64 MiB, and of tokens only SHA-256 hashes.
//
// A revoked JWT is accepted until it expires. Use introspection if that is too long, or let the
// issuer give tokens a short life. With introspection a revoked token is accepted for at most a
// minute. Event streams that are open then end when the token expires, but at most 10 minutes after
// the issuer was asked, also if the answer has no exp: clients open them again, and the issuer is
// asked again. Map in [Options] may set another Expiry.
//
// Up to 32 tokens are introspected at a time, and up to 8 for one address, see
// [streamhttp.ClientAddress]; local and private addresses, which may belong to reverse proxies,
// have no share. Requests with other tokens wait for up to 5 seconds, in turns by address. A token
// whose result was cached waits for half a second; after that its result is used, up to 5 minutes
// longer than it is cached. So during such an overload a revoked token is accepted for at most 6
// minutes.
//
// # Cost
//
// A cached result costs less than 1 µs and no allocation. Verifying an RS256 signature with cached
// keys takes about 40 µs, of which 25 are crypto/rsa. The benchmarks are in bench_test.go.
package jwtauth
