package client

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRetries checks which requests are repeated, how often and after which pause.
func TestRetries(t *testing.T) {
	t.Parallel()
	lost := func() (*http.Response, error) { return nil, errors.New("connection reset") }
	status := func(code int, headers ...string) func() (*http.Response, error) {
		return func() (*http.Response, error) { return answer(code, "", headers...), nil }
	}
	broken := func() (*http.Response, error) {
		r := answer(200, "")
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{}))
		return r, nil
	}
	date := time.Date(2000, 1, 1, 0, 0, 4, 0, time.UTC).Format(http.TimeFormat) // synctest begins at midnight
	for _, test := range []struct {
		name     string
		method   string
		retries  int
		timeout  time.Duration
		fails    func() (*http.Response, error) // all requests but the third
		requests int
		least    time.Duration // from the first to the last request
		most     time.Duration
	}{
		{"lost connection", "GET", 0, 0, lost, 3, 0, 3 * time.Second},
		{"lost response", "GET", 0, 0, broken, 3, 0, 3 * time.Second},
		{"HEAD", "HEAD", 0, 0, status(502), 3, 0, 3 * time.Second},
		{"PUT", "PUT", 0, 0, status(503), 3, 0, 3 * time.Second},
		{"DELETE", "DELETE", 0, 0, status(504), 3, 0, 3 * time.Second},
		{"POST", "POST", 0, 0, lost, 1, 0, 0},
		{"PATCH", "PATCH", 0, 0, status(503), 1, 0, 0},
		{"500", "GET", 0, 0, status(500), 1, 0, 0},
		{"404", "GET", 0, 0, status(404), 1, 0, 0},
		{"once", "GET", 1, 0, lost, 2, 0, time.Second},
		{"never", "GET", -1, 0, lost, 1, 0, 0},
		{"pause in seconds", "GET", 0, 0, status(429, "Retry-After: 5"), 3, 10 * time.Second, 13 * time.Second},
		{"pause until a date", "GET", 1, 0, status(503, "Retry-After: "+date), 2, 4 * time.Second, 5 * time.Second},
		{"pause in the past", "GET", 1, 0, status(503, "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"), 2, 0, time.Second},
		{"negative pause", "GET", 1, 0, status(503, "Retry-After: -5"), 2, 0, time.Second},
		{"pause that is not valid", "GET", 1, 0, status(503, "Retry-After: soon"), 2, 0, time.Second},
		{"pause that is too long", "GET", 0, 0, status(429, "Retry-After: 11"), 1, 0, 0},
		{"pause that is huge", "GET", 0, 0, status(429, "Retry-After: 99999999999999999"), 1, 0, 0},
		{"pause beyond the deadline", "GET", 0, 8 * time.Second, status(429, "Retry-After: 5"), 2, 5 * time.Second, 6 * time.Second},
		{"many", "GET", 100, 0, status(503), 3, 0, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var times []time.Time
			a := &api{respond: func(n int, _ *http.Request) (*http.Response, error) {
				times = append(times, time.Now())
				if n == 2 {
					return answer(http.StatusOK, "{}"), nil
				}
				return test.fails()
			}}
			ctx := t.Context()
			if test.timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.timeout)
				defer cancel()
			}
			c := a.client()
			c.Retries = test.retries
			r := c.request(test.method, "/")
			r.json("application/json", map[string]int{"a": 1})
			_, err := receiveNothing(ctx, r)
			if (err == nil) != (test.requests == 3) {
				t.Errorf("%s: got error %v", test.name, err)
			}
			if len(times) != test.requests {
				t.Fatalf("%s: got %d requests, want %d", test.name, len(times), test.requests)
			}
			if passed := times[len(times)-1].Sub(times[0]); passed < test.least || passed > test.most {
				t.Errorf("%s: got %s from the first to the last request, want %s to %s", test.name, passed, test.least, test.most)
			}
			for _, body := range a.bodies {
				if body != `{"a":1}` {
					t.Errorf("%s: got body %q", test.name, body)
				}
			}
		})
	}
}

// A brokenReader is a connection that is lost.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestCanceledPause checks that a pause ends with the call.
func TestCanceledPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := receiveNothing(ctx, always(503, "", "Retry-After: 9").client().request(http.MethodGet, "/"))
		if passed := time.Since(start); !errors.Is(err, context.Canceled) || passed != time.Second {
			t.Errorf("got %v after %s, want canceled after 1s", err, passed)
		}
	})
}

// TestDefaultTimeout checks that a client without settings gives up after 30 seconds.
func TestDefaultTimeout(t *testing.T) {
	t.Parallel()
	r := new(Client).request(http.MethodGet, "/")
	if got := r.httpClient().Timeout; got != 30*time.Second {
		t.Errorf("got %s", got)
	}
}

// TestMessages has the errors that a model gets.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method string
		answer       *http.Response // nil: the connection is lost
		want         string
	}{
		{"message", "GET", answer(404, `{"message":"Not Found","documentation_url":"https://example.com"}`), "the API answered 404 Not Found: Not Found"},
		{"error", "GET", answer(400, `{"error":"invalid_grant","error_description":"too  old\n"}`), "the API answered 400 Bad Request: invalid_grant\ntoo old"},
		{"error with a message", "GET", answer(402, `{"error":{"code":"card_declined","message":"Your card was declined.","type":"card_error"}}`), "the API answered 402 Payment Required: Your card was declined."},
		{"problem details", "GET", answer(409, `{"type":"about:blank","title":"Conflict","status":409,"detail":"The name is taken."}`), "the API answered 409 Conflict: Conflict\nThe name is taken."},
		{
			"errors", "POST", answer(422, `{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"},{"field":"body","message":"too long"},"last"]}`),
			"the API answered 422 Unprocessable Entity: Validation Failed\n" + `{"resource":"Issue","field":"title","code":"missing_field"}` + "\n" + `{"field":"body","message":"too long"}` + "\nlast",
		},
		{"errors by field", "POST", answer(422, `{"errors":{"title":["can't be blank"]}}`), "the API answered 422 Unprocessable Entity: " + `{"title":["can't be blank"]}`},
		{"list of details", "POST", answer(422, `{"detail":[{"loc":["body","title"],"msg":"field required"}]}`), "the API answered 422 Unprocessable Entity: " + `{"loc":["body","title"],"msg":"field required"}`},
		{"other members", "GET", answer(400, `{"reason":"bad"}`), "the API answered 400 Bad Request: " + `{"reason":"bad"}`},
		{"same text twice", "GET", answer(400, `{"title":"Bad","detail":"Bad"}`), "the API answered 400 Bad Request: Bad"},
		{"empty members", "GET", answer(400, `{"message":null,"errors":[]}`), "the API answered 400 Bad Request"},
		{"deep", "GET", answer(400, strings.Repeat("[", 9)+"1"+strings.Repeat("]", 9)), "the API answered 400 Bad Request: [[[[[[[[1]]]]]]]]"},
		{"string", "GET", answer(400, `"bad"`), "the API answered 400 Bad Request: bad"},
		{"lines", "GET", answer(400, "a\tb\r\n\nc"), "the API answered 400 Bad Request: a b\nc"},
		{"page", "GET", answer(400, "<html>hello"), "the API answered 400 Bad Request"},
		{"bytes", "GET", answer(400, "\xff\xfe"), "the API answered 400 Bad Request"},
		{"no body", "GET", answer(410, ""), "the API answered 410 Gone"},
		{"long", "GET", answer(400, strings.Repeat("é", 1001)), "the API answered 400 Bad Request: " + strings.Repeat("é", 1000) + "…"},
		{"unknown status", "GET", answer(499, ""), "the API answered 499"},
		{"limit", "POST", answer(429, `{"message":"slow down"}`, "Retry-After: 90"), "the API answered 429 Too Many Requests: slow down\nThe API limits the number of calls. Try again in 1m30s."},
		{"limit without a time", "POST", answer(429, ""), "the API answered 429 Too Many Requests\nThe API limits the number of calls. Try again later."},
		{"failure of a GET", "GET", answer(500, "oops"), "the API answered 500 Internal Server Error: oops\nTry again later: the call may be repeated."},
		{"failure of a POST", "POST", answer(503, "", "Retry-After: 20"), "the API answered 503 Service Unavailable\nTry again in 20s: the call may have been carried out, so check that before you repeat it."},
		{"lost GET", "GET", nil, "the API did not respond: connection reset; the call may be repeated"},
		{"lost POST", "POST", nil, "the API did not respond: connection reset; the call may have been carried out, so check that before you repeat it"},
		{"not modified", "GET", answer(304, ""), "the API answered 304 Not Modified\nTell the user to check BASE_URL of this server."},
		{"switching protocols", "GET", answer(101, ""), "the API answered 101 Switching Protocols\nTell the user to check BASE_URL of this server."},
	} {
		a := &api{respond: func(int, *http.Request) (*http.Response, error) {
			if test.answer == nil {
				return nil, errors.New("connection reset")
			}
			return test.answer, nil
		}}
		c := a.client()
		c.Retries = -1
		_, err := receiveNothing(t.Context(), c.request(test.method, "/"))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// TestUnreachable checks that a POST which was not sent may be repeated.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c := &Client{BaseURL: server.URL}
	_, err := receiveNothing(t.Context(), c.request(http.MethodPost, "/"))
	if err == nil || !strings.HasPrefix(err.Error(), "the API cannot be reached: dial tcp") || !strings.HasSuffix(err.Error(), "the call may be repeated later") {
		t.Errorf("got %v", err)
	}
}

// TestUnknownHost checks that the error of a name that has no address does not have the address of the DNS server.
func TestUnknownHost(t *testing.T) {
	t.Parallel()
	for want, dns := range map[string]*net.DNSError{
		"no such host":                  {Err: "no such host", Name: "api.example.com", Server: "10.0.0.53:53", IsNotFound: true},
		"the DNS server did not answer": {Err: "read udp 10.0.0.2:4321->10.0.0.53:53: i/o timeout", Name: "api.example.com", Server: "10.0.0.53:53", IsTimeout: true},
	} {
		a := &api{respond: func(int, *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: dns}
		}}
		_, err := receiveNothing(t.Context(), a.client().request(http.MethodPost, "/"))
		if want = "the API cannot be reached: lookup api.example.com: " + want + "; the call may be repeated later"; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestRedirects checks that no request goes to another host, and that none loses its method.
func TestRedirects(t *testing.T) {
	t.Setenv("TEST_HEADER_KEY", "key")
	t.Setenv("TEST_TOKEN", "token")
	for _, test := range []struct {
		name, method string
		code         int
		location     string
		want         string // the requests, or an error
	}{
		{"same host", "GET", 302, "/v2", "GET https://api.example.com/v2 key"},
		{"same host in capitals", "GET", 302, "https://API.example.com/v2", "GET https://API.example.com/v2 key"},
		{"PUT with its body", "PUT", 307, "/v2", `PUT https://api.example.com/v2 key {"a":1}`},
		{"POST to the result", "POST", 303, "/v2", "GET https://api.example.com/v2 key"},
		{"POST that would become a GET", "POST", 302, "/v2", "the API answered 302 Found"},
		{"DELETE that would become a GET", "DELETE", 301, "/v2", "the API answered 301 Moved Permanently"},
		{"other host", "GET", 302, "https://files.example.com/a?signature=s", "the API answered 302 Found\nIt is a redirect to https://files.example.com, which is not followed."},
		{"subdomain", "GET", 302, "https://x.api.example.com/", "which is not followed"},
		{"other port", "GET", 308, "https://api.example.com:444/", "which is not followed"},
		{"other scheme", "GET", 301, "http://api.example.com/", "which is not followed"},
		{"circle", "GET", 302, "/v1/", "the API answered 302 Found"},
	} {
		a := &api{respond: func(_ int, r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/" {
				return answer(test.code, "", "Location: "+test.location), nil
			}
			return answer(http.StatusNoContent, ""), nil
		}}
		r := a.client().request(test.method, "/")
		if test.method != http.MethodGet {
			r.json("application/json", map[string]int{"a": 1})
		}
		_, err := receiveNothing(t.Context(), r)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			last := len(a.requests) - 1
			got = strings.TrimSpace(a.requests[last].Method + " " + a.requests[last].URL.String() + " " + a.requests[last].Header.Get("X-API-Key") + " " + a.bodies[last])
		}
		if !strings.Contains(got, test.want) || strings.Contains(got, "signature") {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		if len(a.requests) > 10 {
			t.Errorf("%s: got %d requests", test.name, len(a.requests))
		}
	}
}

// TestRedirectAllowed checks that a CheckRedirect of the author may allow other hosts, which get no credentials.
func TestRedirectAllowed(t *testing.T) {
	for _, name := range []string{"HEADER_KEY", "COOKIE_KEY", "QUERY_KEY", "TOKEN"} {
		t.Setenv("TEST_"+name, "hunter2")
	}
	a := &api{respond: func(n int, _ *http.Request) (*http.Response, error) {
		return []*http.Response{
			answer(302, "", "Location: https://a.example.com/"), answer(302, "", "Location: https://b.example.com/"), answer(200, "data"),
		}[n], nil
	}}
	c := a.client()
	c.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return nil }
	r := c.request(http.MethodGet, "/")
	r.auth(requirement{"header_key", "cookie_key", "query_key", "token"})
	r.header("X-Trace", "hunter2")
	text, err := receiveText(t.Context(), r, "text/plain")
	if err != nil || text != "data" || len(a.requests) != 3 {
		t.Fatalf("got %q, %v after %d requests", text, err, len(a.requests))
	}
	for _, r := range a.requests[1:] {
		if len(r.Header) != 1 || r.Header.Get("Accept") != "text/plain" || r.URL.RawQuery != "" {
			t.Errorf("got %s with %v, want no header but Accept", r.URL, r.Header)
		}
	}
}

// TestLimit checks that the limit counts decompressed bytes, and that a response of just its size is read.
func TestLimit(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		if r.URL.Path == "/error" {
			w.WriteHeader(http.StatusNotFound)
		}
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.Repeat("0", 10_000))
		_ = z.Close()
	}))
	t.Cleanup(server.Close)
	for _, test := range []struct {
		name, method, path string
		limit              int64
		want               string
	}{
		{"default", "GET", "/", 0, ""},
		{"the size", "GET", "/", 10_000, ""},
		{"a byte less, POST", "POST", "/", 9_999, "the response of the API has more than 9999 bytes; the call may have been carried out, so check that before you repeat it"},
		{"a byte less", "GET", "/", 9_999, "the response of the API has more than 9999 bytes; ask for less, for example with a filter or a smaller page"},
		{"of an error", "GET", "/error", 5, "the API answered 404 Not Found: 00000"},
	} {
		c := &Client{BaseURL: server.URL, MaxResponseBytes: test.limit}
		text, err := receiveText(t.Context(), c.request(test.method, test.path), "text/plain")
		if test.want == "" && (err != nil || len(text) != 10_000) || test.want != "" && (err == nil || err.Error() != test.want) {
			t.Errorf("%s: got %d bytes, %v, want %s", test.name, len(text), err, test.want)
		}
	}
}

// TestLongErrors checks that what an API or a network sends does not make an error long.
func TestLongErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 100_000)
	for _, a := range []*api{
		always(302, "", "Location: https://"+long+".example.com/"),
		always(200, `{"id":`+long+"}"),
		always(400, strings.Repeat("9 ", 1<<20)),
		{respond: func(int, *http.Request) (*http.Response, error) { return nil, errors.New(long) }},
	} {
		_, err := receive[pet](t.Context(), a.client().request(http.MethodPost, "/"), "application/json")
		if err == nil || len(err.Error()) > 1500 {
			t.Errorf("got an error of %d bytes, want at most 1500: %.100v", len(fmt.Sprint(err)), err)
		}
	}
}
