package mcptool

// AuditArguments sets whether the records of a server's audit log ([github.com/mcptool-go/mcptool/runtime.Server]),
// which otherwise contain no values, contain the arguments of calls: for tools whose exact instructions must be known
// later. Arguments may be confidential, and the record outlives the call. In the tag it is auditArguments. The
// default is no.
func AuditArguments(yes bool) Option {
	return option(func(d *definition) { set(d, &d.auditArguments, "the option AuditArguments", yes) })
}

// AuditArguments reports whether records of the audit log contain the arguments of calls.
func (t *Tool) AuditArguments() bool { return t.auditArguments }
