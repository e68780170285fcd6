package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAuthentication checks which alternative is chosen, and where its secrets are sent.
func TestAuthentication(t *testing.T) {
	for _, test := range []struct {
		name         string
		variables    string // NAME=value, separated by bars
		alternatives []requirement
		header       string // name and value, "" for none of them
		query        string
	}{
		{"API key in a header", "HEADER_KEY= hunter2\n", []requirement{{"header_key"}}, "X-API-Key: hunter2", ""},
		{"API key in the query", "QUERY_KEY=a&b=c", []requirement{{"query_key"}}, "", "api+key=a%26b%3Dc"},
		{"API key in a cookie", "COOKIE_KEY=abc==", []requirement{{"cookie_key"}}, "Cookie: session=abc==", ""},
		{"bearer token", "TOKEN=hunter2", []requirement{{"token"}}, "Authorization: Bearer hunter2", ""},
		{"basic", "LOGIN_USER=Aladdin|LOGIN_PASSWORD=open sesame", []requirement{{"login"}}, "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", ""},
		{"key as the user", "LOGIN_USER=sk_1|LOGIN_PASSWORD=", []requirement{{"login"}}, "Authorization: Basic c2tfMTo=", ""},
		{"user without a password", "LOGIN_USER=sk_1", []requirement{{"login"}}, "", ""},
		{"password without a user", "LOGIN_PASSWORD=x", []requirement{{"login"}}, "", ""},
		{"nothing set", "", []requirement{{"token"}}, "", ""},
		{"first of two", "TOKEN=a|QUERY_KEY=b", []requirement{{"token"}, {"query_key"}}, "Authorization: Bearer a", ""},
		{"second of two", "QUERY_KEY=b", []requirement{{"token"}, {"query_key"}}, "", "api+key=b"},
		{"both of two", "TOKEN=a|QUERY_KEY=b", []requirement{{"token", "query_key"}}, "Authorization: Bearer a", "api+key=b"},
		{"one of both", "TOKEN=a", []requirement{{"token", "query_key"}}, "", ""},
		{"optional, set", "TOKEN=a", []requirement{{}, {"token"}}, "Authorization: Bearer a", ""},
		{"none needed", "TOKEN=a", nil, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for variable := range strings.SplitSeq(test.variables, "|") {
				if name, value, ok := strings.Cut(variable, "="); ok {
					t.Setenv("TEST_"+name, value)
				}
			}
			r, _ := sent(t, http.MethodGet, "/", func(r *request) { r.auth(test.alternatives...) })
			var headers []string
			for _, name := range []string{"X-API-Key", "Authorization", "Cookie"} {
				if value := r.Header.Get(name); value != "" {
					headers = append(headers, name+": "+value)
				}
			}
			if got := strings.Join(headers, "\n"); got != test.header || r.URL.RawQuery != test.query {
				t.Errorf("got headers %q and query %q, want %q and %q", got, r.URL.RawQuery, test.header, test.query)
			}
		})
	}
}

// TestSecurityOfAPI checks that the requirements of the API apply to an operation that does not call auth.
func TestSecurityOfAPI(t *testing.T) {
	t.Setenv("TEST_HEADER_KEY", "key")
	t.Setenv("TEST_TOKEN", "token")
	r, _ := sent(t, http.MethodGet, "/", func(*request) {})
	if key, token := r.Header.Get("X-API-Key"), r.Header.Get("Authorization"); key != "key" || token != "Bearer token" {
		t.Errorf("got %q and %q", key, token)
	}
}

// TestCredentials checks that the secrets of Credentials are used before the environment.
func TestCredentials(t *testing.T) {
	t.Setenv("TEST_TOKEN", "of the server")
	t.Setenv("TEST_QUERY_KEY", "of the server")
	type caller struct{}
	a := always(http.StatusNoContent, "")
	c := a.client()
	c.Credentials = func(ctx context.Context, scheme string) (string, error) {
		if scheme == "query_key" {
			return "", nil
		}
		name, _ := ctx.Value(caller{}).(string)
		return name + ":" + scheme, nil
	}
	for scheme, want := range map[string]string{
		"token": "Bearer ana:token",
		"login": "Basic YW5hOmxvZ2lu", // ana:login
		"oauth": "Bearer ana:oauth",   // an access token of the caller, which is sent as it is
	} {
		r := c.request(http.MethodGet, "/")
		r.auth(requirement{scheme, "query_key"})
		if _, err := receiveNothing(context.WithValue(t.Context(), caller{}, "ana"), r); err != nil {
			t.Fatal(err)
		}
		got := a.requests[len(a.requests)-1]
		if got.Header.Get("Authorization") != want || got.URL.RawQuery != "api+key=of+the+server" {
			t.Errorf("%s: got %q and %q, want %q and the key of the server", scheme, got.Header.Get("Authorization"), got.URL.RawQuery, want)
		}
	}
	expired := errors.New("the session of ana has expired")
	c.Credentials = func(context.Context, string) (string, error) { return "", expired }
	before := len(a.requests)
	if _, err := receiveNothing(t.Context(), c.request(http.MethodGet, "/")); !errors.Is(err, expired) || len(a.requests) != before {
		t.Errorf("got %v and %d requests, want the error of Credentials and none", err, len(a.requests)-before)
	}
}

// TestClientCredentials checks that an access token is kept until it expires, and belongs to its id and secret.
func TestClientCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens := 0
		a := &api{}
		a.respond = func(n int, r *http.Request) (*http.Response, error) {
			if r.URL.Host != "tokens.example.com" {
				return answer(http.StatusNoContent, ""), nil
			}
			tokens++
			if body := a.bodies[n]; body != "grant_type=client_credentials&scope=read+write" {
				t.Errorf("got the request %q for a token", body)
			}
			user, password, _ := r.BasicAuth()
			return answer(http.StatusOK, `{"access_token":"`+user+password+string(rune('0'+tokens))+`","token_type":"Bearer","expires_in":3600}`, "Content-Type: application/json"), nil
		}
		c := a.client()
		call := func(want string) {
			t.Helper()
			r := c.request(http.MethodGet, "/")
			r.auth(requirement{"oauth"})
			if _, err := receiveNothing(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if got := a.requests[len(a.requests)-1].Header.Get("Authorization"); got != "Bearer "+want {
				t.Errorf("got %q, want the token %s", got, want)
			}
		}
		schemes["oauth"] = scheme{kind: clientCredentials, env: "TEST_OAUTH", token: accessTokens("http://tokens.example.com/token", "read", "write")}
		t.Setenv("TEST_OAUTH_CLIENT_ID", "id")
		t.Setenv("TEST_OAUTH_CLIENT_SECRET", "secret")
		call("idsecret1")
		call("idsecret1")
		time.Sleep(time.Hour)
		call("idsecret2")
		t.Setenv("TEST_OAUTH_CLIENT_SECRET", "other")
		call("idother3")
	})
}

// TestNotAllowed checks that the error of 401 and 403 names the variables that are not set.
func TestNotAllowed(t *testing.T) {
	t.Setenv("TEST_LOGIN_USER", "ana")
	for _, test := range []struct {
		name         string
		code         int
		alternatives []requirement
		credentials  string
		want         string
	}{
		{"missing", 401, []requirement{{"token"}, {"login", "token"}}, "", "the API answered 401 Unauthorized: Bad token\nThis server has no credentials for it: not set are the environment variables TEST_TOKEN, TEST_LOGIN_PASSWORD. Tell the user, and do not try again."},
		{"not enough", 403, []requirement{{"token"}}, "x", "the API answered 403 Forbidden: Bad token\nThe credentials of this server do not allow it. Tell the user, and do not try again."},
		{"none in the document", 401, nil, "", "the API answered 401 Unauthorized: Bad token\nThe credentials of this server do not allow it. Tell the user, and do not try again."},
		{"another status", 404, []requirement{{"token"}}, "", "the API answered 404 Not Found: Bad token"},
	} {
		c := always(test.code, `{"message":"Bad token"}`).client()
		c.Credentials = func(context.Context, string) (string, error) { return test.credentials, nil }
		r := c.request(http.MethodGet, "/")
		r.auth(test.alternatives...)
		if _, err := receiveNothing(t.Context(), r); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// TestSecrets looks for secrets in every kind of error.
func TestSecrets(t *testing.T) {
	const secret = `hunter2/+ "x"`
	for _, name := range []string{"HEADER_KEY", "QUERY_KEY", "COOKIE_KEY", "TOKEN", "LOGIN_PASSWORD", "OAUTH_CLIENT_SECRET"} {
		t.Setenv("TEST_"+name, secret)
	}
	t.Setenv("TEST_LOGIN_USER", "ana")
	t.Setenv("TEST_OAUTH_CLIENT_ID", "id")
	// echo has everything of a request that may be secret, as an error of an API or a network could repeat it.
	echo := func(r *http.Request) string {
		_, password, _ := r.BasicAuth()
		return strings.Join([]string{r.URL.String(), r.URL.Query().Get("api key"), password, r.Header.Get("Authorization"), r.Header.Get("X-API-Key"), r.Header.Get("Cookie")}, " ")
	}
	quoted := strings.ReplaceAll(secret, `"`, `\"`)
	for _, test := range []struct {
		name    string
		respond func(r *http.Request) (*http.Response, error)
	}{
		{"refused, text", func(r *http.Request) (*http.Response, error) {
			return answer(400, echo(r), "Content-Type: text/plain"), nil
		}},
		{"refused, long text", func(r *http.Request) (*http.Response, error) {
			return answer(400, strings.Repeat("é", 990)+echo(r)), nil
		}},
		{"refused, JSON", func(*http.Request) (*http.Response, error) { return answer(422, `{"message":"`+quoted+`"}`), nil }},
		{"refused, other JSON", func(*http.Request) (*http.Response, error) { return answer(422, `{"key":"`+quoted+`"}`), nil }},
		{"not allowed", func(r *http.Request) (*http.Response, error) { return answer(401, echo(r)), nil }},
		{"limited", func(r *http.Request) (*http.Response, error) { return answer(429, echo(r)), nil }},
		{"failed", func(r *http.Request) (*http.Response, error) { return answer(500, echo(r)), nil }},
		{"redirect", func(r *http.Request) (*http.Response, error) {
			return answer(302, echo(r), "Location: https://other.example.com/?"+r.URL.RawQuery), nil
		}},
		{"redirect to nowhere", func(r *http.Request) (*http.Response, error) {
			return answer(302, "", "Location: http://%zz/?"+r.URL.RawQuery), nil
		}},
		{"lost", func(r *http.Request) (*http.Response, error) { return nil, errors.New("lost " + echo(r)) }},
		{"too large", func(r *http.Request) (*http.Response, error) { return answer(200, strings.Repeat(echo(r), 100)), nil }},
		{"page", func(r *http.Request) (*http.Response, error) { return answer(200, "<html>"+echo(r)), nil }},
		{"not JSON", func(r *http.Request) (*http.Response, error) { return answer(200, echo(r)), nil }},
		{"wrong type", func(*http.Request) (*http.Response, error) { return answer(200, `{"ID":"`+quoted+`"}`), nil }},
		{"wrong member", func(*http.Request) (*http.Response, error) { return answer(200, `{"Owner":{"`+quoted+`":1}}`), nil }},
		{"empty", func(*http.Request) (*http.Response, error) { return answer(204, ""), nil }},
	} {
		for _, name := range []string{"header_key", "query_key", "cookie_key", "token", "login", "oauth"} {
			a := &api{respond: func(_ int, r *http.Request) (*http.Response, error) {
				if r.URL.Host == "tokens.example.com" && test.name != "lost" && !strings.HasPrefix(test.name, "re") {
					return answer(200, `{"access_token":"hunter2access","expires_in":3600}`, "Content-Type: application/json"), nil
				}
				return test.respond(r)
			}}
			schemes["oauth"] = scheme{kind: clientCredentials, env: "TEST_OAUTH", token: accessTokens("http://tokens.example.com/token")}
			c := a.client()
			c.Retries, c.MaxResponseBytes = -1, 4096
			r := c.request(http.MethodGet, "/")
			r.auth(requirement{name})
			_, err := receive[struct {
				ID    int
				Owner map[string]string
			}](t.Context(), r, "application/json")
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, %s: got %v", test.name, name, err)
			}
			if encoded := "YW5hOmh1bnRlcjI"; strings.Contains(err.Error(), encoded) { // the start of ana:hunter2 in base64
				t.Errorf("%s, %s: got %v", test.name, name, err)
			}
		}
	}
}

// TestSecretsEscaped checks that a secret is found where an API escapes it in its own way, and one that begins with another.
func TestSecretsEscaped(t *testing.T) {
	t.Setenv("TEST_LOGIN_USER", "ana")
	t.Setenv("TEST_LOGIN_PASSWORD", "anaconda q+/é")
	for _, test := range []struct{ name, body, want string }{
		{"as it is", "anaconda q+/é, ana", "[secret], [secret]"},
		{"escaped slash", `{"key":"anaconda q+\/é"}`, `{"key":"[secret]"}`},
		{"Unicode escapes", `{"key":"anaconda q\u002B\/\u00e9"}`, `{"key":"[secret]"}`},
		{"percent", "anaconda%20q%2b%2F%c3%A9", "[secret]"},
		{"form", "anaconda+q%2B%2f%C3%A9", "[secret]"},
		{"another text", `ANACONDA q\u002c`, `ANACONDA q\u002c`},
	} {
		r := always(400, test.body).client().request(http.MethodGet, "/")
		r.auth(requirement{"login"})
		_, err := receiveNothing(t.Context(), r)
		if want := "the API answered 400 Bad Request: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", test.name, err, want)
		}
	}
}

// TestSecretWithBlanks checks that a secret is found although the message of an error has other blanks than the response.
func TestSecretWithBlanks(t *testing.T) {
	t.Setenv("TEST_QUERY_KEY", "correct  horse")
	for _, body := range []string{"no correct  horse", `{"message":"no correct  horse"}`} {
		_, err := receiveNothing(t.Context(), always(400, body).client().request(http.MethodGet, "/"))
		if want := "the API answered 400 Bad Request: no [secret]"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
