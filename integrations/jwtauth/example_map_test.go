package jwtauth_test

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// With Map, the roles of an application in Microsoft Entra ID become scopes.
func ExampleOptions_map() {
	tenant, clientID := "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", "e4590ed6-62b3-5102-beff-bad2292ab01c"
	opt := jwtauth.Options{
		Issuer:       "https://login.microsoftonline.com/" + tenant + "/v2.0",
		Resource:     "https://mcp.example.com/mcp",
		Audiences:    []string{clientID},
		AllowUntyped: true,
		Map: func(claims *jwtauth.Claims, token *streamhttp.Token) error {
			var more struct {
				Roles []string `json:"roles"`
			}
			err := json.Unmarshal(claims.Raw, &more)
			token.Scopes = append(token.Scopes, more.Roles...)
			return err
		},
	}
	var token streamhttp.Token
	err := opt.Map(&jwtauth.Claims{Raw: []byte(`{"roles":["notes.read"]}`)}, &token)
	fmt.Println(token.Scopes, err)
	// Output: [notes.read] <nil>
}
