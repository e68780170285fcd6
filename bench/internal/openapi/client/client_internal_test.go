package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// An api records the requests that it gets, and answers each with the response that respond returns for its number, from 0.
type api struct {
	respond func(n int, r *http.Request) (*http.Response, error)

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	n := len(a.requests)
	a.requests, a.bodies = append(a.requests, r), append(a.bodies, string(body))
	a.mu.Unlock()
	return a.respond(n, r)
}

// client returns a client of the API whose address is https://api.example.com/v1.
func (a *api) client() *Client {
	return &Client{BaseURL: "https://api.example.com/v1", HTTP: &http.Client{Transport: a}}
}

// answer returns a response with headers, such as "Retry-After: 3".
func answer(code int, body string, headers ...string) *http.Response {
	r := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// always returns an API that gives each request the same answer.
func always(code int, body string, headers ...string) *api {
	return &api{respond: func(int, *http.Request) (*http.Response, error) { return answer(code, body, headers...), nil }}
}

// sent returns the request that build makes, as the API gets it, and its body.
func sent(t *testing.T, method, path string, build func(*request)) (*http.Request, string) {
	t.Helper()
	a := always(http.StatusNoContent, "")
	r := a.client().request(method, path)
	build(r)
	if _, err := receiveNothing(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return a.requests[0], a.bodies[0]
}

// refusal returns the error of a request that build makes, which must not be sent.
func refusal(t *testing.T, path string, build func(*request)) error {
	t.Helper()
	a := always(http.StatusNoContent, "")
	r := a.client().request(http.MethodGet, path)
	build(r)
	_, err := receiveNothing(t.Context(), r)
	if err == nil || len(a.requests) > 0 {
		t.Fatalf("got error %v and %d requests, want an error and none", err, len(a.requests))
	}
	return err
}

func TestAddress(t *testing.T) {
	for _, test := range []struct {
		name, field, variable, own, want string
	}{
		{"field", "https://a.example.com/v1", "https://b.example.com", "", "https://a.example.com/v1/pets"},
		{"field with a slash at its end", "https://a.example.com/v1/", "", "", "https://a.example.com/v1/pets"},
		{"variable", "", "https://b.example.com", "", "https://b.example.com/pets"},
		{"own server", "", "", "https://c.example.com/v2", "https://c.example.com/v2/pets"},
		{"own server on a configured host", "https://a.example.com/v1", "", "https://c.example.com/v2", "https://a.example.com/v2/pets"},
		{"own path on a configured host", "", "http://b.example.com/v1", "/v2", "http://b.example.com/v2/pets"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("BASE_URL", test.variable)
			a := always(http.StatusNoContent, "")
			c := a.client()
			c.BaseURL = test.field
			r := c.request(http.MethodGet, "/pets")
			r.server(test.own)
			if _, err := receiveNothing(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if got := a.requests[0].URL.String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestAddressRefused(t *testing.T) {
	for _, test := range []struct{ name, variable, want string }{
		{"only a path is known", "", "set the environment variable BASE_URL of this server, for example to https://HOST/api/v3"},
		{"another scheme", "ftp://hunter2.example.com", "must be an http or https URL"},
		{"credentials", "https://user:hunter2@example.com", "without credentials"},
		{"query", "https://example.com?key=hunter2", "without credentials, query"},
		{"fragment", "https://example.com#hunter2", "and fragment"},
		{"not a URL", "https://hunter2 example.com:x", "must be an http or https URL"},
		{"host without a scheme", "hunter2.example.com", "BASE_URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("BASE_URL", test.variable)
			_, err := receiveNothing(t.Context(), new(Client).request(http.MethodGet, "/pets"))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want %q and no part of the variable", err, test.want)
			}
		})
	}
}

// TestQueryOfPath checks that a query in the path of the document is kept.
func TestQueryOfPath(t *testing.T) {
	t.Parallel()
	r, _ := sent(t, http.MethodGet, "/?action=list", func(r *request) { r.query("page", 2) })
	if got, want := r.URL.String(), "https://api.example.com/v1/?action=list&page=2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestClientUnchanged checks that the author's client is copied, and that its settings count.
func TestClientUnchanged(t *testing.T) {
	t.Parallel()
	a := always(http.StatusNoContent, "")
	c := a.client()
	jar := jarFunc(func(*url.URL) []*http.Cookie { return []*http.Cookie{{Name: "jar", Value: "1"}} })
	c.HTTP.Jar = jar
	r := c.request(http.MethodGet, "/pets")
	r.cookie("session", "a b")
	if _, err := receiveNothing(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if c.HTTP.CheckRedirect != nil || c.HTTP.Timeout != 0 {
		t.Errorf("the client of the author has changed: %+v", c.HTTP)
	}
	if got, want := a.requests[0].Header.Get("Cookie"), "session=a%20b; jar=1"; got != want {
		t.Errorf("got cookies %q, want %q", got, want)
	}
}

type jarFunc func(*url.URL) []*http.Cookie

func (f jarFunc) Cookies(u *url.URL) []*http.Cookie   { return f(u) }
func (f jarFunc) SetCookies(*url.URL, []*http.Cookie) {}

// TestConcurrent shares a client, for the race detector.
func TestConcurrent(t *testing.T) {
	t.Setenv("TEST_QUERY_KEY", "hunter2")
	a := &api{respond: func(int, *http.Request) (*http.Response, error) { return answer(http.StatusOK, `{"id":1}`), nil }}
	c := a.client()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			r := c.request(http.MethodGet, "/pets/{id}")
			r.path("id", 1)
			if got, err := receive[struct{ ID int }](context.Background(), r, "application/json"); err != nil || got.ID != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	group.Wait()
	for _, r := range a.requests {
		if r.URL.RawQuery != "api+key=hunter2" {
			t.Errorf("got query %q", r.URL.RawQuery)
		}
	}
}

// TestCanceled checks that the error of a call that has ended is the cause of its context.
func TestCanceled(t *testing.T) {
	t.Parallel()
	cause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	a := &api{respond: func(_ int, r *http.Request) (*http.Response, error) {
		cancel(cause)
		return nil, r.Context().Err()
	}}
	_, err := receiveNothing(ctx, a.client().request(http.MethodGet, "/pets"))
	if !errors.Is(err, cause) || len(a.requests) != 1 {
		t.Errorf("got %v and %d requests, want the cause and 1", err, len(a.requests))
	}
}
