package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// expand returns the URI that a template of the command line makes of the variables that were given, and of those that a
// person is asked for. A URI is returned as it is.
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
	values, err := d.askVariables(ctx, c, template, given)
	if err != nil {
		return "", err
	}
	uri, err := template.Expand(func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	})
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

// known returns an error if a variable is given that the template does not have.
func known(template *uritemplate.Template, given map[string]string) error {
	var names []string
	for _, v := range template.Variables() {
		names = append(names, v.Name)
	}
	for name := range sorted(given) {
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

// askVariables returns the values that were given, and those that a person is asked for: of all variables that have none.
func (d *dialogue) askVariables(ctx context.Context, c *client.Client, template *uritemplate.Template, given map[string]string) (map[string]string, error) {
	if !d.people() {
		return given, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	values := maps.Clone(given)
	for _, v := range template.Variables() {
		if _, ok := values[v.Name]; ok {
			continue
		}
		q := textQuestion{name: v.Name, required: !v.Optional()}
		q.suggest = suggestions(c, client.Reference{URITemplate: template.String()}, v.Name, values)
		value, ok, err := d.askText(ctx, &q)
		if err != nil {
			return nil, err
		}
		if ok {
			values[v.Name] = value
		}
	}
	return values, nil
}
