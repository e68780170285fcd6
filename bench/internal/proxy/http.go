package proxy

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// HTTP returns a handler for Streamable HTTP in front of the server at target. It sends the requests for the path of
// target, and for "/", to target, with the given headers added; other paths are not found. Messages in JSON bodies and in
// events pass through the filter. A request or a response whose messages are all dropped becomes a response with status 202.
//
// A request is refused if its Host or its Origin is not on this machine, so that web pages cannot use the handler. Serve it
// at a loopback address.
func HTTP(target *url.URL, header http.Header, filter Filter) http.Handler {
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			at := *target
			at.RawQuery = cmp.Or(r.Out.URL.RawQuery, target.RawQuery)
			r.Out.URL, r.Out.Host = &at, header.Get("Host")
			for name, values := range header {
				r.Out.Header[http.CanonicalHeaderKey(name)] = values
			}
			r.Out.Header.Del("Accept-Encoding") // net/http decompresses only what it has asked for
		},
		ModifyResponse: filter.response,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				http.Error(w, fmt.Sprintf("bench: the server at %s: %v", client.Target{URL: target.String()}, err), http.StatusBadGateway)
			}
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback.IsHost(r.Host):
			http.Error(w, "the host is not a name of this machine", http.StatusForbidden)
		case r.Header.Get("Origin") != "" && !loopback.IsOrigin(r.Header.Get("Origin")):
			http.Error(w, "the origin is not on this machine", http.StatusForbidden)
		case r.URL.Path != "/" && r.URL.Path != target.Path:
			http.NotFound(w, r)
		case filter.request(w, r):
			forward.ServeHTTP(w, r)
		}
	})
}

// request applies the filter to the body of a request. It returns false if it has answered the request.
func (f Filter) request(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		return true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return false
	}
	passed, isMessage := f.pass(ToServer, body)
	if isMessage && passed == nil {
		w.WriteHeader(http.StatusAccepted)
		return false
	}
	if !isMessage {
		passed = body // the server refuses it
	}
	if name := nameOf(passed); name != nameOf(body) && r.Header.Get("Mcp-Name") != "" {
		r.Header.Set("Mcp-Name", client.HeaderText(name))
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(passed)), int64(len(passed))
	return true
}

// nameOf returns params.name of a message, which a header repeats; "" if there is none.
func nameOf(message []byte) string {
	var m envelope.Message
	if m.Read(message, maxDepth) != nil || rawjson.KindOf(m.Params.Name) != rawjson.String {
		return ""
	}
	return string(rawjson.Unquote(m.Params.Name))
}

// response applies the filter to the body of a response.
func (f Filter) response(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" on error
	switch kind {
	case "text/event-stream":
		resp.Body = newEventReader(resp.Body, f)
		resp.ContentLength = -1
	case "application/json":
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
		if err != nil {
			return err
		}
		_ = resp.Body.Close() // it was read
		if len(body) > maxMessage {
			return fmt.Errorf("its answer is larger than %d MiB", maxMessage>>20)
		}
		if passed, isMessage := f.pass(ToClient, body); isMessage {
			if body = passed; body == nil {
				resp.StatusCode, resp.Status = http.StatusAccepted, ""
			}
		}
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	default:
		return nil
	}
	resp.Header.Del("Content-Length")
	return nil
}
