package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// A statusError is an answer in HTTP that is no MCP.
type statusError struct {
	status int
	text   string // the beginning of its body
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP status %d: %s", e.status, e.text) }

// dialTrouble says why there is no connection, and what to do.
func (w *web) dialTrouble(err error) string {
	var (
		dns      *net.DNSError
		unknown  x509.UnknownAuthorityError
		host     x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		urlError *url.Error
	)
	if errors.As(err, &urlError) {
		err = urlError.Err // without the URL, which is told anyway
	}
	switch {
	case errors.As(err, &dns):
		return "there is no host " + dns.Name + "; see how it is spelt, and whether there is a network"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there (connection refused); start the server, or see which port it has"
	case errors.As(err, &unknown):
		return "its certificate is signed by nobody this machine trusts; SSL_CERT_FILE names certificates to trust"
	case errors.As(err, &host):
		return "its certificate is for another host: " + host.Error()
	case errors.As(err, &invalid):
		return "its certificate is not valid: " + invalid.Error()
	case errors.As(err, &verify):
		return "its certificate is not trusted: " + verify.Err.Error()
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "it does not speak TLS; perhaps the URL begins with http://"
	case strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "readLoopPeekFail"):
		return "what listens there does not speak HTTP"
	case strings.HasSuffix(err.Error(), "EOF"), errors.Is(err, syscall.ECONNRESET):
		return "it closed the connection without an answer"
	default:
		return "no connection: " + err.Error()
	}
}

// statusTrouble says why an answer is none, and what to do.
func (w *web) statusTrouble(resp *http.Response, kind string, body []byte) error {
	status, text := resp.StatusCode, firstLine(body)
	err := &statusError{status, text}
	w.mu.Lock()
	session := w.session
	w.mu.Unlock()
	switch {
	case status == http.StatusUnauthorized && w.header.Get("Authorization") != "":
		return w.trouble("it does not accept the token in the Authorization header (401); get a new one", err)
	case status == http.StatusUnauthorized:
		return w.trouble("it wants to know who calls (401); give a token: --header 'Authorization: Bearer TOKEN'", err)
	case status == http.StatusForbidden:
		return w.trouble("it refuses access (403"+behind(text, kind)+"); see what the token allows, and which hosts and origins the server does", err)
	case status == http.StatusNotFound && session != "":
		return w.trouble("it has forgotten our session (404); it was started anew, or ended the session; try again", err)
	case status == http.StatusNotFound:
		return w.trouble("there is nothing at that path (404); many servers have MCP at /mcp", err)
	case status == http.StatusMethodNotAllowed:
		return w.trouble("it takes no POST there (405); see the path, many servers have MCP at /mcp", err)
	case status/100 == 3:
		return w.trouble(fmt.Sprintf("it sends us on to %s (%d); use that URL, if you trust it", resp.Header.Get("Location"), status), err)
	case strings.Contains(text, "HTTP request to an HTTPS server"):
		return w.trouble("it speaks TLS; the URL begins with https://", err)
	case kind == "text/html" && status < 500:
		return w.trouble(fmt.Sprintf("it answers with a web page (%d), not with MCP; see the path, many servers have MCP at /mcp", status), err)
	case status >= 400:
		return w.trouble(fmt.Sprintf("it answers with %s%s", resp.Status, behind(text, kind)), err)
	case kind == "application/json":
		return w.trouble("what it answers is no JSON-RPC response"+behind(text, kind), err)
	default:
		return w.trouble(fmt.Sprintf("it answers with %q, not with MCP%s", kind, behind(text, kind)), err)
	}
}

// behind returns a text as the end of a sentence.
func behind(text, kind string) string {
	if text == "" || kind == "text/html" {
		return ""
	}
	return ": " + text
}
