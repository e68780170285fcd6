package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// A StatusError is the cause of an *UnreachableError: an HTTP response without an MCP message.
type StatusError struct {
	Status int
	Text   string // message of a JSON-RPC error, or first line of the body; at most 200 characters
}

func (e *StatusError) Error() string { return fmt.Sprintf("HTTP status %d: %s", e.Status, e.Text) }

// dialError explains why a connection failed, with a fix.
func (w *httpConnection) dialError(err error) string {
	var (
		dns      *net.DNSError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		urlError *url.Error
	)
	if errors.As(err, &urlError) {
		err = urlError.Err // without the URL, which the error already names
	}
	switch {
	case errors.As(err, &dns):
		return "there is no host " + dns.Name + "; check the spelling and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused; start the server, or check the port"
	case errors.As(err, &verify):
		return "its certificate is not trusted: " + verify.Err.Error() + "; SSL_CERT_FILE names certificates to trust"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "it does not use TLS; try http://"
	case strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "readLoopPeekFail"):
		return "it is not an HTTP server"
	case strings.HasSuffix(err.Error(), "EOF"), errors.Is(err, syscall.ECONNRESET):
		return "it closed the connection without an answer"
	default:
		return "no connection: " + err.Error()
	}
}

// responseError explains why a response is invalid, with a fix.
func (w *httpConnection) responseError(resp *http.Response, body []byte) error {
	status, kind, text := resp.StatusCode, mediaType(resp), reason(body)
	err := &StatusError{status, text}
	w.mu.Lock()
	session := w.session
	w.mu.Unlock()
	switch {
	case status == http.StatusUnauthorized && w.header.Get("Authorization") != "":
		return w.unreachable("it does not accept the token in the Authorization header (401); get a new one", err)
	case status == http.StatusUnauthorized:
		return w.unreachable("it requires authentication (401); give a token: --header 'Authorization: Bearer TOKEN'", err)
	case status == http.StatusForbidden:
		return w.unreachable("it refuses access (403"+behind(text, kind)+"); check what the token allows, and which hosts and origins the server accepts", err)
	case status == http.StatusNotFound && session != "":
		return w.unreachable("it does not know the session (404): it was restarted, or has ended the session; try again", err)
	case status/100 == 3:
		return w.unreachable(fmt.Sprintf("it redirects to %s (%d); use that URL if you trust it", resp.Header.Get("Location"), status), err)
	case strings.Contains(text, "HTTP request to an HTTPS server"):
		return w.unreachable("it expects TLS; use https://", err)
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, kind == "text/html" && status < 500:
		return w.unreachable(fmt.Sprintf("there is no MCP at that path (%d); many servers have it at /mcp", status), err)
	case status >= 400:
		return w.unreachable(fmt.Sprintf("it answers with %s%s", resp.Status, behind(text, kind)), err)
	case kind == "application/json":
		return w.unreachable("its answer is not a JSON-RPC response"+behind(text, kind), err)
	default:
		return w.unreachable(fmt.Sprintf("it answers with %q, not with MCP%s", kind, behind(text, kind)), err)
	}
}

// behind formats text as the end of a sentence.
func behind(text, kind string) string {
	if text == "" || kind == "text/html" {
		return ""
	}
	return ": " + text
}
