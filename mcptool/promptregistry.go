package mcptool

import "errors"

// errNoPrompt is the error of a Prompt that is nil or zero.
var errNoPrompt = errors.New("mcptool: the prompt is empty; make one with NewPrompt")

// AddPrompts adds the prompts to the registry, or none of them if there is a mistake, as [Registry.Add] does for tools.
//
// Servers declare that they have prompts once any were added, because clients may request only lists that are declared
// when they connect. If all prompts are added later, call AddPrompts without prompts before.
func (r *Registry) AddPrompts(prompts ...*Prompt) error {
	return registerErrorHere(r.addPrompts(prompts, false))
}

// ReplacePrompts adds the prompts to the registry like [Registry.AddPrompts], except that a prompt replaces one with the
// same name that is in the registry already. It is one change, with one notification.
func (r *Registry) ReplacePrompts(prompts ...*Prompt) error {
	return registerErrorHere(r.addPrompts(prompts, true))
}

// RemovePrompts removes the prompts with these names and returns the number of prompts that it removed.
func (r *Registry) RemovePrompts(names ...string) int {
	r.mu.Lock()
	removed, subscribers := r.prompts.remove(names)
	r.mu.Unlock()
	notify(subscribers)
	return len(removed)
}

// Prompts returns the prompts sorted by name. The slice is shared: do not modify it.
func (r *Registry) Prompts() []*Prompt { return r.prompts.load(&r.mu).items }

// LookupPrompt returns the prompt with this name, and reports whether there is one. Names are case-sensitive.
func (r *Registry) LookupPrompt(name string) (*Prompt, bool) {
	p, ok := r.prompts.load(&r.mu).byKey[name]
	return p, ok
}

// PromptsGeneration is [Registry.Generation] for prompts. It is 0 until AddPrompts is called for the first time.
func (r *Registry) PromptsGeneration() uint64 { return r.prompts.generation.Load() }

// OnPromptsChange is [Registry.OnChange] for prompts.
func (r *Registry) OnPromptsChange(fn func()) (stop func()) { return subscribe(r, &r.prompts, fn) }

// addPrompts adds the prompts, or returns why it adds none.
func (r *Registry) addPrompts(prompts []*Prompt, replace bool) []Mistake {
	r.mu.Lock()
	if mistakes := r.prompts.check(prompts, replace); len(mistakes) > 0 {
		r.mu.Unlock()
		return mistakes
	}
	subscribers := r.prompts.putOrDeclare(prompts)
	r.mu.Unlock()
	notify(subscribers)
	return nil
}
