package client

import "encoding/json"

// A Question is what a server asks its user while a call runs: an elicitation.
type Question struct {
	// Message is what the user is told.
	Message string
	// Mode is "form" or "url".
	Mode string
	// URL is where the user is sent, in mode url.
	URL string
	// Schema is the JSON Schema of what is asked for, in mode form: a flat object.
	Schema json.RawMessage
}

// An Answer is what the user said to a Question.
type Answer struct {
	// Action is "accept", "decline" or "cancel".
	Action string `json:"action"`
	// Content is the object that was filled in, of an accepted form; else nil.
	Content json.RawMessage `json:"content,omitempty"`
}
