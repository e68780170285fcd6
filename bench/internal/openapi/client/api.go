package client

// baseURL is the address of the API in the document, which has only a path.
const baseURL = "/api/v3"

// schemes are the security schemes of the document.
var schemes = map[string]scheme{
	"header_key": {kind: apiKey, in: "header", key: "X-API-Key", env: "TEST_HEADER_KEY"},
	"query_key":  {kind: apiKey, in: "query", key: "api key", env: "TEST_QUERY_KEY"},
	"cookie_key": {kind: apiKey, in: "cookie", key: "session", env: "TEST_COOKIE_KEY"},
	"token":      {kind: bearer, env: "TEST_TOKEN"},
	"login":      {kind: basic, env: "TEST_LOGIN"},
	"oauth":      {kind: clientCredentials, env: "TEST_OAUTH", token: accessTokens("http://tokens.example.com/token", "read", "write")},
}

// security has the requirements of operations that do not call auth.
var security = []requirement{{"header_key", "token"}, {"query_key"}}
