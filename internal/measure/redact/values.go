package redact

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Values holds secrets passed to a server. The zero value is empty. It is safe for concurrent use.
type Values struct {
	mu      sync.RWMutex
	secrets []string // longest first
}

// Pairs adds the secrets in variables, NAME=VALUE, or in headers, NAME: VALUE.
func (v *Values) Pairs(separator string, pairs []string) {
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, separator)
		v.named(name, value)
	}
}

// Command adds the secrets in a command line: values of flags and variables.
func (v *Values) Command(args []string) {
	flag := ""
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			name, value = flag, arg
		}
		if flag = ""; strings.HasPrefix(arg, "-") && !ok {
			flag = arg
			continue
		}
		v.named(name, value)
	}
}

// URL adds the secrets in a URL: its password, and parameters with secret names.
func (v *Values) URL(address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	password, _ := u.User.Password()
	v.Add(password)
	for name, values := range u.Query() {
		for _, value := range values {
			v.named(name, value)
		}
	}
}

// named adds a value if its name names a secret, and the secrets in it if it is a URL.
func (v *Values) named(name, value string) {
	if value = strings.TrimSpace(value); Secret(name, value) {
		v.Add(value)
		for word := range strings.FieldsSeq(value) { // also without the word Bearer
			v.Add(word)
		}
	}
	if strings.Contains(value, "://") {
		v.URL(value)
	}
}

// Add adds a secret. It returns false, and does nothing, if the secret is so short that it may occur elsewhere by chance:
// less than 8 bytes, or less than 5 for letters with digits.
func (v *Values) Add(secret string) bool {
	mixed := strings.ContainsFunc(secret, unicode.IsLetter) && strings.ContainsFunc(secret, unicode.IsDigit)
	if len(secret) < 5 || len(secret) < 8 && !mixed {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if slices.Contains(v.secrets, secret) { // from an earlier connection
		return true
	}
	short := jsondoc.AppendString(nil, secret)
	long, _ := json.Marshal(secret) // a string is never an error
	v.secrets = append(slices.Clip(v.secrets), secret, string(short[1:len(short)-1]), string(long[1:len(long)-1]),
		url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"))
	slices.SortFunc(v.secrets, func(a, b string) int { return len(b) - len(a) })
	return true
}

// Known hides only the added secrets in text, also in text that is JSON with any escapes.
func (v *Values) Known(text string) string {
	v.mu.RLock()
	secrets := v.secrets // Add makes another slice
	v.mu.RUnlock()
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, Hidden)
	}
	if isContainer(text) {
		text = string(v.KnownJSON([]byte(text))) // there may be other escapes
	}
	return text
}

// Text hides the added secrets in text, and what the function [Text] hides.
func (v *Values) Text(text string) string { return Text(v.Known(text)) }

// JSON applies Text to the strings of JSON, which stays valid, and hides members with secret names.
func (v *Values) JSON(raw []byte) []byte { return JSON(raw, v.Text) }

// KnownJSON applies Known to the strings of JSON, which stays valid.
func (v *Values) KnownJSON(raw []byte) []byte {
	return eachString(raw, func(_, value string) string { return v.Known(value) })
}
