package jwtauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// listTeam lists the notes of the team in the caller's access token.
func listTeam(ctx context.Context, _ struct{}) (string, error) {
	var claims struct {
		Team string `json:"team"`
	}
	err := json.Unmarshal(mcptool.Caller(ctx).Claims, &claims)
	if err != nil || claims.Team == "" {
		return "", errors.New("your access token names no team")
	}
	return "the notes of " + claims.Team, nil
}

// A tool reads a claim of the verified token, and a test of the tool sets it.
func ExampleVerifier_claims() {
	tool, err := mcptool.New(listTeam, mcptool.Name("list_notes"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, claims := range []string{`{"sub":"ada","team":"acme"}`, `{"sub":"eve"}`} {
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
	// your access token names no team
}
