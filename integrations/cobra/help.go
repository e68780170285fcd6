package cobratools

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// The longest help texts that are sent, in bytes.
const (
	maxHelp     = 2000
	maxFlagHelp = 500
)

// title returns the display name of a command, with its group.
func title(cmd *cobra.Command) string {
	if parent := cmd.Parent(); parent != nil {
		for _, group := range parent.Groups() {
			if group.ID == cmd.GroupID {
				return cmd.CommandPath() + " (" + strings.TrimRight(group.Title, ": ") + ")"
			}
		}
	}
	return cmd.CommandPath()
}

// help returns the help of a command without its usage.
func help(cmd *cobra.Command) string {
	text := strings.TrimSpace(cmd.Long)
	if text == "" {
		text = strings.TrimSpace(cmd.Short)
	}
	if example := strings.Trim(cmd.Example, "\r\n"); example != "" {
		text += "\n\nExamples:\n" + example
	}
	return cut(text, maxHelp)
}

// describe sets the description of a schema, if there is one.
func describe(schema map[string]any, text string) {
	if text = strings.TrimSpace(text); text != "" {
		schema["description"] = cut(text, maxFlagHelp)
	}
}

// usageOf returns the text that cobra adds to the error of a command. A model has the schema instead.
func usageOf(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.UsageString()
}

// cut shortens a text to a number of bytes, and makes it valid UTF-8.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	end := most - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
