package redact

import "strings"

// Command returns a command line as one text, without the secrets in it: values of flags and variables whose names say so,
// and what has the shape of a secret.
func Command(args []string) string {
	shown := make([]string, len(args))
	for i, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case ok && flagName.MatchString(name) && (Secret(name, value) || looksRandom(value)):
			shown[i] = name + "=" + Hidden
		case i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") && !strings.HasPrefix(arg, "-") && Secret(args[i-1], arg):
			shown[i] = Hidden
		default:
			shown[i] = Text(arg)
		}
	}
	return strings.Join(shown, " ")
}
