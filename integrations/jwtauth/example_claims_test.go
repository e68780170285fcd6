package jwtauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// listTenant lists the notes of the tenant in the caller's access token.
func listTenant(ctx context.Context, _ struct{}) (string, error) {
	var claims struct {
		Tenant string `json:"tenant"`
	}
	err := json.Unmarshal(mcptool.Caller(ctx).Claims, &claims)
	if err != nil || claims.Tenant == "" {
		return "", errors.New("your access token names no tenant")
	}
	return "the notes of " + claims.Tenant, nil
}

// A tool reads a claim of the verified token, and a test of the tool sets it.
func ExampleVerifier_claims() {
	tool, err := mcptool.New(listTenant, mcptool.Name("list_notes"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, claims := range []string{`{"sub":"ada","tenant":"acme"}`, `{"sub":"eve"}`} {
		client := &mcptooltest.Client{Principal: "https://auth.example.com#ada", Claims: json.RawMessage(claims)}
		result, err := client.Call(context.Background(), tool, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Content[0].(mcptool.Text).Text)
	}
	// Output:
	// the notes of acme
	// your access token names no tenant
}
