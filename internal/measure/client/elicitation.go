package client

import "encoding/json"

// An Elicitation is a request of a server for user input during a call.
type Elicitation struct {
	// Message is shown to the user.
	Message string `json:"message"`
	// Mode is "form" or "url".
	Mode string `json:"mode"`
	// URL is the page to visit, in mode url.
	URL string `json:"url"`
	// Schema is the JSON Schema of the requested content, a flat object, in mode form.
	Schema json.RawMessage `json:"requestedSchema"`
}

// An ElicitResult is a user's response to an Elicitation.
type ElicitResult struct {
	// Action is "accept", "decline" or "cancel".
	Action string `json:"action"`
	// Content is the object with the user's input, if a form was accepted; else nil.
	Content json.RawMessage `json:"content,omitempty"`
}
