package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// secrets are texts that a server was given and that do not belong on a page which is
// committed: some tools tell what is in their environment, or which headers came.
type secrets [][]byte

// secretName is what the names of such variables and headers have in them.
var secretName = regexp.MustCompile(`(?i)token|secret|passw|pwd|credential|cookie|auth|session|api.?key|access.?key|private.?key|signature`)

// leastSecret is how long a secret is, in bytes: what is shorter stands in many places and means
// nothing.
const leastSecret = 8

// secretsOf returns the secrets among variables, as NAME=VALUE, and headers, as NAME: VALUE.
func secretsOf(env, header []string) secrets {
	var s secrets
	add := func(name, value string) {
		if !secretName.MatchString(name) {
			return
		}
		for _, text := range append(strings.Fields(value), value) { // without the word Bearer, too
			if len(text) < leastSecret {
				continue
			}
			quoted, err := json.Marshal(text)
			if err == nil {
				s = append(s, quoted[1:len(quoted)-1])
			}
			s = append(s, []byte(text))
		}
	}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		add(name, value)
	}
	for _, pair := range header {
		name, value, _ := strings.Cut(pair, ":")
		add(name, strings.TrimSpace(value))
	}
	slices.SortFunc(s, func(a, b []byte) int { return len(b) - len(a) }) // the longest first: one may be part of another
	return slices.CompactFunc(s, bytes.Equal)
}

// hide returns a text, which may be JSON, without the secrets.
func (s secrets) hide(text []byte) []byte {
	for _, secret := range s {
		text = bytes.ReplaceAll(text, secret, []byte("(hidden)"))
	}
	return text
}
