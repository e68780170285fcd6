package jwtauth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
)

// TestMistakes: each mistake in the options, and all of them at once.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*jwtauth.Options)
		want   string // part of the error; "" if it is none
	}{
		{"none", func(*jwtauth.Options) {}, ""},
		{"http on this machine", func(o *jwtauth.Options) { o.Issuer = "http://localhost:8080/realms/a" }, ""},
		{"http on this machine by address", func(o *jwtauth.Options) { o.Issuer = "http://[::1]:8080" }, ""},
		{"no issuer", func(o *jwtauth.Options) { o.Issuer = "" }, `Issuer ""`},
		{"no scheme", func(o *jwtauth.Options) { o.Issuer = "auth.example.com/" }, "must begin with https://"},
		{"no scheme, and a port", func(o *jwtauth.Options) { o.Issuer = "auth.example.com:8443" }, "must begin with https://"},
		{"no host", func(o *jwtauth.Options) { o.Issuer = "https:///realms/a" }, "no host"},
		{"AUTH-08 http elsewhere", func(o *jwtauth.Options) { o.Issuer = "http://auth.example.com" }, "https"},
		{"AUTH-08 another scheme", func(o *jwtauth.Options) { o.Issuer = "file:///etc/passwd" }, "host"},
		{"AUTH-08 a host that begins like this machine", func(o *jwtauth.Options) { o.Issuer = "http://localhost.example.com" }, "https"},
		{"a query", func(o *jwtauth.Options) { o.Issuer += "/?a" }, "query"},
		{"a fragment", func(o *jwtauth.Options) { o.Issuer += "/#" }, "fragment"},
		{"a user", func(o *jwtauth.Options) { o.Issuer = "https://u:p@auth.example.com" }, "user"},
		{"no URL", func(o *jwtauth.Options) { o.Issuer = "https://%" }, "not a URL"},
		{"audiences for nothing", func(o *jwtauth.Options) { o.Audiences = []string{"a"} }, "Resource"},
		{"AUTH-05 a long leeway", func(o *jwtauth.Options) { o.Leeway = time.Hour }, "Leeway"},
		{"no leeway", func(o *jwtauth.Options) { o.Leeway = jwtauth.NoLeeway }, ""},
		{"negative leeway", func(o *jwtauth.Options) { o.Leeway = -time.Second }, "Leeway is -1s, but must not be negative; 0 means the default, 30s, and NoLeeway none"},
		{"negative time in the cache", func(o *jwtauth.Options) { o.CacheFor = -time.Second }, "CacheFor is -1s, but must not be negative; 0 means the default, and NoCache disables the cache"},
		{"keys that are too old at once", func(o *jwtauth.Options) { o.KeyMaxAge = time.Minute }, "KeyMaxAge"},
		{"AUTH-08 keys over http", func(o *jwtauth.Options) { o.KeysURL = "http://auth.example.com/keys" }, "KeysURL"},
		{"introspection", introspection, ""},
		{"introspection without credentials", func(o *jwtauth.Options) { o.Introspection = &jwtauth.Introspection{} }, "ClientSecret"},
		{"introspection over http", func(o *jwtauth.Options) { introspection(o); o.Introspection.URL = "http://auth.example.com" }, "Introspection.URL"},
		{"introspection for nothing", func(o *jwtauth.Options) { introspection(o); o.Introspection.AllowNoAudience = true }, "Resource"},
		{"AUTH-10 a long cache", func(o *jwtauth.Options) { introspection(o); o.CacheFor = time.Hour }, "CacheFor"},
		{"all at once", func(o *jwtauth.Options) { *o = jwtauth.Options{Leeway: time.Hour, KeysURL: "x"} }, "KeysURL \"x\": it must begin with https://, or with http:// for a loopback host\nLeeway"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opt := jwtauth.Options{Issuer: issuerURL}
			test.change(&opt)
			v, err := jwtauth.New(opt)
			if test.want == "" && (err != nil || v == nil) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
