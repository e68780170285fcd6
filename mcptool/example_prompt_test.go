package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type TranslateIn struct {
	_        struct{} `mcp:"name=translate,title=Translate a text" doc:"Ask for a translation"`
	Text     string   `json:"text" doc:"The text"`
	Language string   `json:"language" jsonschema:"enum=French,enum=German,enum=Portuguese"`
	Formal   bool     `json:"formal" jsonschema:"default=true"`
}

func Translate(_ context.Context, in TranslateIn) (string, error) {
	return fmt.Sprintf("Translate into %s, formal: %t.\n\n%s", in.Language, in.Formal, in.Text), nil
}

// A prompt is rendered without a server, with arguments as clients send them: as strings.
func ExampleNewPrompt() {
	prompt, err := mcptool.NewPrompt(Translate)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := prompt.Get(context.Background(), map[string]string{"text": "Good night", "language": "German", "formal": "false"})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := result.Messages[0].Content.(mcptool.Text)
	fmt.Printf("%s: %s\n", result.Messages[0].Role, text.Text)
	fmt.Println(prompt.Info().Title)
	// Output:
	// user: Translate into German, formal: false.
	//
	// Good night
	// Translate a text
}
