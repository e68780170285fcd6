package jwtauth_test

import (
	"fmt"
	"os"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
)

// With introspection, the issuer verifies tokens, so a revoked one is refused within a minute.
func ExampleNew_introspection() {
	issuer := "https://auth.example.com"
	if err := os.Setenv("CLIENT_SECRET", "s3cret"); err != nil {
		fmt.Println(err)
		return
	}
	verifier, err := jwtauth.New(jwtauth.Options{
		Issuer:        issuer,
		Introspection: &jwtauth.Introspection{ClientID: "mcp", ClientSecret: os.Getenv("CLIENT_SECRET")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer verifier.Close()
	_, err = jwtauth.New(jwtauth.Options{Issuer: "auth.example.com", Introspection: &jwtauth.Introspection{}})
	fmt.Println(err)
	// Output:
	// jwtauth: Issuer "auth.example.com": it must begin with https://, or with http:// for a loopback host
	// Introspection needs ClientID and ClientSecret
}
