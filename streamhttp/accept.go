package streamhttp

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of answers.
const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
)

// acceptable is in which forms a client reads an answer.
type acceptable struct{ json, events bool }

// accepted reads the Accept header. Without one everything is acceptable: clients should
// name both types, and those that forget had better be answered.
func accepted(h http.Header) (a acceptable) {
	header := strings.Join(h.Values("Accept"), ",")
	if strings.TrimSpace(header) == "" {
		return acceptable{json: true, events: true}
	}
	for item := range strings.SplitSeq(header, ",") {
		switch strings.TrimSpace(item) { // as most clients write them
		case typeJSON:
			a.json = true
			continue
		case typeEvents:
			a.events = true
			continue
		}
		name, params, err := mime.ParseMediaType(item)
		if err != nil || isRefused(params["q"]) {
			continue
		}
		a.json = a.json || name == typeJSON || name == "application/*" || name == "*/*"
		a.events = a.events || name == typeEvents || name == "text/*" || name == "*/*"
	}
	return a
}

// isRefused reports whether a quality means "not this".
func isRefused(q string) bool {
	if q == "" {
		return false
	}
	value, err := strconv.ParseFloat(q, 64)
	return err == nil && value == 0
}
