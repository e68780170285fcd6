package streamhttp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
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

// maxHeader is the length of the longest value of one of these headers, in bytes. MaxHeaderBytes of the
// server bounds all headers together.
const maxHeader = 8 << 10

var (
	errAbsent   = errors.New("is missing")
	errRepeated = errors.New("is there more than once")
	errTooLong  = fmt.Errorf("is longer than %d bytes", maxHeader)
)

// single returns the value of a header that must not be repeated: a proxy and a
// server that read different ones of two would not see the same request.
func single(h http.Header, name string) (string, error) {
	switch values := h.Values(name); {
	case len(values) == 0:
		return "", errAbsent
	case len(values) > 1:
		return "", errRepeated
	case len(values[0]) > maxHeader:
		return "", errTooLong
	default:
		return strings.Trim(values[0], " \t"), nil
	}
}

// checkHeaders compares the headers of a modern request with the parts of the
// body that they repeat for proxies.
func checkHeaders(h http.Header, m *runtime.Message) *httpError {
	version, named := m.ProtocolVersion()
	if m.Kind() != runtime.Request || !named && (m.Method() == methodInitialize || h.Get(headerVersion) != "") {
		return nil // or the engine has an error that says more
	}
	if err := compareHeaders(h, m, version); err != nil {
		return &httpError{status: http.StatusBadRequest, code: codeHeaderMismatch, text: err.Error(), id: m.ID()}
	}
	return nil
}

// compareHeaders returns the first difference, in one sentence.
func compareHeaders(h http.Header, m *runtime.Message, version string) error {
	if err := compare(h, headerVersion, version, false); err != nil {
		return err
	}
	if err := compare(h, headerMethod, m.Method(), false); err != nil {
		return err
	}
	if name, ok := m.Subject(); ok {
		return compare(h, headerName, name, true)
	}
	return nil
}

// compare compares one header, which may be encoded or not, with the value in the body.
func compare(h http.Header, name, want string, encoded bool) error {
	value, err := single(h, name)
	if err == nil && encoded {
		value, err = decodeValue(value)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the header %s %w", name, err)
	case value != want:
		return fmt.Errorf("the header %s does not match the body", name)
	}
	return nil
}

// The marks around a base64 value, whose text could not be a header.
const (
	base64Open  = "=?base64?"
	base64Close = "?="
)

// decodeValue decodes a value that may be base64. One without both marks is not.
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

var headers = private.Take[private.Headers[*mcptool.Tool]]()

// checkParamHeaders compares the headers that repeat arguments of a call with the
// arguments. Headers that the schema does not announce are ignored.
func checkParamHeaders(h http.Header, tool *mcptool.Tool, arguments []byte) error {
	for _, param := range headers.Of(tool) {
		name := headerParamPrefix + param.Name
		if err := checkParam(h, name, argument(arguments, param.Path)); err != nil {
			return fmt.Errorf("the header %s %w", name, err)
		}
	}
	return nil
}

// checkParam compares one header with one argument, raw JSON or nil. An argument of
// another type than string, number or boolean is left to the validation of the arguments.
func checkParam(h http.Header, name string, raw []byte) error {
	value, err := single(h, name)
	if err == nil {
		value, err = decodeValue(value)
	}
	kind := jsonscan.KindOf(raw)
	if kind == jsonscan.Invalid || kind == jsonscan.Null {
		if errors.Is(err, errAbsent) {
			return nil
		}
		return errors.New("repeats an argument that is not there")
	}
	if err != nil {
		return err
	}
	same := true
	switch kind {
	case jsonscan.String:
		same = value == string(jsonscan.Unquote(raw))
	case jsonscan.Number:
		same = sameNumber(value, raw)
	case jsonscan.Bool:
		same = value == string(raw)
	default:
	}
	if !same {
		return errors.New("does not match the argument")
	}
	return nil
}

// sameNumber reports whether value is a number, as JSON writes them, and equal to raw to the
// last digit: a float64 cannot tell 9007199254740993 from its neighbour, and a proxy may have
// read either.
func sameNumber(value string, raw []byte) bool {
	if jsonscan.KindOf([]byte(value)) != jsonscan.Number || jsonscan.Valid([]byte(value), 1) != nil {
		return false
	}
	one, okOne := decimalOf(value)
	two, okTwo := decimalOf(string(raw))
	return value == string(raw) || okOne && okTwo && one == two
}

// decimal is a number: 0.digits times ten to the exponent. Digits have no zero at either end, so
// that equal numbers are equal decimals; the number 0 has none.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf parses a JSON number. It reports whether its exponent fits 32 bits.
func decimalOf(text string) (d decimal, ok bool) {
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil {
			return d, false
		}
		text, d.exponent = text[:i], int(exponent)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.exponent += len(whole)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	d.exponent -= len(whole) + len(fraction) - len(d.digits)
	if d.digits = strings.TrimRight(d.digits, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// argument returns the value at a path in raw, a JSON object or nil. It returns nil if
// there is none.
func argument(raw []byte, path []string) []byte {
	for _, name := range path {
		if jsonscan.KindOf(raw) != jsonscan.Object {
			return nil
		}
		var found []byte
		s := jsonscan.New(raw, 0)
		s.OpenObject()
		for member, ok := s.Member(); ok; member, ok = s.Member() {
			here := string(member) == name
			if value := s.Value(); here {
				found = value
			}
		}
		raw = found
	}
	return raw
}
