// Package client has the client that generated packages call an API with. client.go is copied into each of them, and oauth.go
// into those with a scheme of OAuth 2 client credentials. api.go takes the place of their generated file of the same name.
package client
