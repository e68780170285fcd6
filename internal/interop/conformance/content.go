package main

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/mcptool-go/mcptool/mcptool"
)

// none is an empty argument type.
type none = struct{}

// contentTools returns tools for every kind of content.
func contentTools() mcptool.Tools {
	return mcptool.Tools{
		// The suite calls the first listed tool without arguments and rejects protocol errors.
		define("about", "Say what this server is for", func(context.Context, none) (mcptool.Text, error) {
			return mcptool.Text{Text: "This server has what the official conformance suite asks for."}, nil
		}),
		define("test_simple_text", "Return a text", func(context.Context, none) (mcptool.Text, error) {
			return mcptool.Text{Text: "This is a simple text response for testing."}, nil
		}),
		define("test_image_content", "Return an image", func(context.Context, none) (mcptool.Image, error) {
			return mcptool.Image{Data: dot(), MIMEType: "image/png"}, nil
		}),
		define("test_audio_content", "Return a sound", func(context.Context, none) (mcptool.Audio, error) {
			return mcptool.Audio{Data: quiet(), MIMEType: "audio/wav"}, nil
		}),
		define("test_embedded_resource", "Return a resource", func(context.Context, none) (mcptool.EmbeddedResource, error) {
			return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}, nil
		}),
		define("test_multiple_content_types", "Return a text, an image and a resource", func(context.Context, none) ([]mcptool.Content, error) {
			return []mcptool.Content{
				mcptool.Text{Text: "Multiple content types test:"},
				mcptool.Image{Data: dot(), MIMEType: "image/png"},
				mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}},
			}, nil
		}),
		define("test_error_handling", "Fail", func(context.Context, none) (mcptool.Text, error) {
			return mcptool.Text{}, errors.New("This tool intentionally returns an error for testing") //nolint:staticcheck // the suite checks this text
		}),
	}
}

// dot returns a PNG with one pixel.
func dot() []byte {
	return decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
}

// quiet returns a WAV without samples.
func quiet() []byte { return decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=") }

func decode(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	must(err)
	return data
}
