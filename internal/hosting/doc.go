// Package hosting has what integrations share that serve tools, prompts and resources through the
// server of another framework: a [Mirror] keeps the items of a registry in that server, and a
// [Server] serves the requests that it receives for them with the engine of this module.
package hosting
