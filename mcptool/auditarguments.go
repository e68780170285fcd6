package mcptool

// AuditArguments says whether the arguments of calls stand in the records of a server's audit
// ([github.com/mcptool-go/mcptool/runtime.Server]), which otherwise have no values: for tools of which it must be known later what exactly
// they were told to do. They may hold what is nobody's business, and the record outlives the call. In the
// tag it is auditArguments. The default is no.
func AuditArguments(yes bool) Option {
	return option(func(d *definition) { set(d, &d.auditArguments, "the option AuditArguments", yes) })
}

// AuditArguments reports whether the arguments of calls stand in the records of an audit.
func (t *Tool) AuditArguments() bool { return t.auditArguments }
