package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// expand expands a template with the given variables, and prompts for the others. It returns a plain URI unchanged.
func (d *dialogue) expand(ctx context.Context, c *client.Client, text string, given map[string]string) (string, error) {
	if !strings.ContainsAny(text, "{}") {
		if len(given) > 0 {
			return "", usageError("--var is for a template, and %s has no variables", text)
		}
		return text, nil
	}
	template, err := uritemplate.Parse(text)
	if err != nil {
		return "", usageError("this template cannot be expanded here; write the URI that it makes: %v", err)
	}
	if err := known(template, given); err != nil {
		return "", err
	}
	var fields []field
	for _, v := range template.Variables() {
		fields = append(fields, field{argument: argument{name: v.Name, required: !v.Optional()}})
	}
	values, err := d.askTexts(ctx, c, client.Reference{URITemplate: template.String()}, fields, given)
	if err != nil {
		return "", err
	}
	uri, err := template.Expand(values)
	if err != nil {
		for _, v := range template.Variables() {
			if _, ok := values[v.Name]; !ok && !v.Optional() {
				return "", usageError("%w; --var NAME=VALUE sets a variable", err)
			}
		}
		return "", usageError("%w", err)
	}
	return uri, nil
}

// known returns an error if a given variable is not in the template.
func known(template *uritemplate.Template, given map[string]string) error {
	var names []string
	for _, v := range template.Variables() {
		names = append(names, v.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(names, name) {
			continue
		}
		if near := suggest.Nearest(name, names); near != "" {
			return usageError("--var: the template has no variable %q; did you mean %q?", name, near)
		}
		return usageError("--var: the template has no variable %q; it has %s", name, strings.Join(names, ", "))
	}
	return nil
}
