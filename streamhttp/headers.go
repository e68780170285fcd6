package streamhttp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/runtime"
)

// The headers of the protocol, in canonical form.
const (
	headerVersion     = "Mcp-Protocol-Version"
	headerMethod      = "Mcp-Method"
	headerName        = "Mcp-Name"
	headerSession     = "Mcp-Session-Id"
	headerLastEvent   = "Last-Event-Id"
	headerParamPrefix = "Mcp-Param-"
)

// maxHeader is the longest value of a header of ours, in bytes. A server's
// MaxHeaderBytes bounds them all together; this keeps one from taking it all.
const maxHeader = 8 << 10

var (
	errAbsent  = errors.New("is missing")
	errTwice   = errors.New("is there more than once")
	errTooLong = fmt.Errorf("is longer than %d bytes", maxHeader)
)

// single returns the value of a header that can be there only once: a proxy and a
// server that read different ones of two would not see the same request.
func single(h http.Header, name string) (string, error) {
	switch values := h.Values(name); {
	case len(values) == 0:
		return "", errAbsent
	case len(values) > 1:
		return "", errTwice
	case len(values[0]) > maxHeader:
		return "", errTooLong
	default:
		return strings.Trim(values[0], " \t"), nil
	}
}

// nameParams says which member of params the header Mcp-Name repeats, by method.
var nameParams = map[string]string{
	"tools/call":     "name",
	"prompts/get":    "name",
	"resources/read": "uri",
	"tasks/get":      "taskId",
	"tasks/update":   "taskId",
	"tasks/cancel":   "taskId",
}

// checkHeading compares the headers of a modern request with the parts of the
// body that they repeat for proxies. The error is one sentence.
func checkHeading(h http.Header, m *runtime.Message) error {
	version, _ := m.ProtocolVersion()
	if err := compare(h, headerVersion, version, plain); err != nil {
		return err
	}
	if err := compare(h, headerMethod, m.Method(), plain); err != nil {
		return err
	}
	if param, ok := nameParams[m.Method()]; ok {
		return compare(h, headerName, m.Param(param), decodeValue)
	}
	return nil
}

// compare holds one header, as decode reads it, against what the body says.
func compare(h http.Header, name, want string, decode func(string) (string, error)) error {
	value, err := single(h, name)
	if err == nil {
		value, err = decode(value)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the header %s %w", name, err)
	case value != want:
		return fmt.Errorf("the header %s does not match the body", name)
	}
	return nil
}

// plain reads a value that is never encoded.
func plain(value string) (string, error) { return value, nil }

// The marks around a value that is base64, because it could not be a header as it is.
const (
	base64Open  = "=?base64?"
	base64Close = "?="
)

// decodeValue reads a value that may be encoded. One without both marks is meant as it is.
func decodeValue(value string) (string, error) {
	for i := range len(value) {
		if c := value[i]; (c < ' ' && c != '\t') || c > '~' {
			return "", errors.New("has a character that a header cannot hold")
		}
	}
	inner, opened := strings.CutPrefix(value, base64Open)
	inner, closed := strings.CutSuffix(inner, base64Close)
	if !opened || !closed {
		return value, nil
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(inner)
	if err != nil {
		return "", errors.New("is marked as base64, and is not")
	}
	return string(decoded), nil
}
