package mcptooltest

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// An item is a prompt or a resource.
type item struct {
	noun, name string // the name of a resource is its URI or template
	runner     *mcptool.Tool
	completer  *mcptool.Tool         // nil if nothing can be completed
	schema     *reflectschema.Schema // of the arguments or variables
	prompt     *mcptool.Prompt       // nil for a resource
	resource   *mcptool.Resource     // nil for a prompt
	template   *uritemplate.Template // nil for a prompt
	registry   *mcptool.Registry     // has only this resource; nil for a prompt
}

func promptItem(p *mcptool.Prompt) *item {
	return &item{
		noun: "prompt", name: p.Info().Name, prompt: p,
		runner: internals.Runner(p), completer: internals.Settings(internals.Runner(p)).Completer, schema: internals.Runner(p).InputSchema(),
	}
}

// resourceItem returns the item for a resource, or the error that an empty resource returns.
func resourceItem(r *mcptool.Resource) (*item, error) {
	template, err := uritemplate.Parse(r.URI())
	if err != nil {
		return nil, err
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(r); err != nil {
		return nil, err
	}
	return &item{
		noun: "resource", name: r.URI(), resource: r, template: template, registry: registry,
		runner: internals.Runner(r), completer: internals.Settings(internals.Runner(r)).Completer, schema: internals.Runner(r).InputSchema(),
	}, nil
}

// addTo adds the item to a registry.
func (i *item) addTo(registry *mcptool.Registry) error {
	if i.prompt != nil {
		return registry.Add(i.prompt)
	}
	return registry.Add(i.resource)
}

// isTemplate reports whether it is a resource whose URI has variables.
func (i *item) isTemplate() bool { return i.resource != nil && internals.IsTemplate(i.resource) }

// method returns the method that requests the item, and the member of its params that names it.
func (i *item) method() string {
	if i.prompt != nil {
		return "prompts/get"
	}
	return "resources/read"
}

// params returns the params of a request for the item: args are the arguments of a prompt, or a URI as JSON.
func (i *item) params(args []byte) string {
	if i.prompt != nil {
		return `"name":` + quoted(i.name) + `,"arguments":` + string(args)
	}
	return `"uri":` + string(args)
}

// ref returns the reference to the item in the params of completion/complete.
func (i *item) ref() string {
	if i.prompt != nil {
		return `{"type":"ref/prompt","name":` + quoted(i.name) + `}`
	}
	return `{"type":"ref/resource","uri":` + quoted(i.name) + `}`
}

// listing returns the method that lists the item, and the member of its entry that names it.
func (i *item) listing() (method, key string) {
	switch {
	case i.prompt != nil:
		return "prompts/list", "name"
	case i.isTemplate():
		return "resources/templates/list", "uriTemplate"
	default:
		return "resources/list", "uri"
	}
}

// arguments returns the names of the arguments, or of the variables.
func (i *item) arguments() (names []string) {
	if i.prompt != nil {
		for _, a := range internals.ArgumentsOf(i.prompt) {
			names = append(names, a.Name)
		}
		return names
	}
	for _, v := range i.template.Variables() {
		names = append(names, v.Name)
	}
	return names
}

// written returns the arguments as a client sends them: an object of strings for a prompt, a URI for a resource. It
// reports false if there is no such URI.
func (i *item) written(values map[string]string) (args []byte, ok bool) {
	if i.prompt != nil {
		args, err := json.Marshal(values)
		return args, err == nil
	}
	uri, err := i.template.Expand(values)
	return []byte(quoted(uri)), err == nil
}

// judge returns why the arguments that a client sends do not fit, and reports whether they are for this item: a URI may
// not match.
func (i *item) judge(args []byte) (misfit error, matches bool) {
	if i.prompt != nil {
		typed, err := internals.PromptArguments(i.prompt, args)
		if err != nil {
			return err, true
		}
		return schemas.Judge(i.schema, typed), true
	}
	var uri string
	if err := json.Unmarshal(args, &uri); err != nil {
		return err, false
	}
	_, _, variables, matches := internals.FindResource(i.registry, uri, nil)
	if !matches {
		return nil, false
	}
	return schemas.Judge(i.schema, variables), true
}

// quoted returns a text as JSON.
func quoted(text string) string {
	raw, _ := json.Marshal(text) // cannot fail for a string
	return string(raw)
}

// completion returns the params of completion/complete; others are the arguments that are known already.
func (i *item) completion(name, prefix string, others map[string]string) string {
	params := `"ref":` + i.ref() + `,"argument":{"name":` + quoted(name) + `,"value":` + quoted(prefix) + `}`
	if len(others) > 0 {
		known, _ := json.Marshal(others) // a map of strings always can be
		params += `,"context":{"arguments":` + string(known) + `}`
	}
	return params
}
