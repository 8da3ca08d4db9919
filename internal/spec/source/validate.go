package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// lax is how a document is validated: examples, defaults and patterns do not
// change what is generated, and many published documents have mistakes in them.
// The first option alone is strict.
var lax = []openapi3.ValidationOption{
	openapi3.EnableMultiError(),
	openapi3.DisableExamplesValidation(),
	openapi3.DisableSchemaDefaultsValidation(),
	openapi3.DisableSchemaPatternValidation(),
}

// validate checks the document against the OpenAPI specification.
func (d *Documents) validate() error {
	options := lax
	if d.strict {
		options = lax[:1]
	}
	err := d.Doc.Validate(context.Background(), options...)
	if err == nil {
		return nil
	}
	found := d.located(d.explain(d.withOrigins(err, options), ""))
	d.Notes = d.Notes.Sorted()
	if d.tolerant {
		d.Faults = append(d.Faults, ruled(found, RuleInvalidDocument)...)
		return nil
	}
	return found.Err()
}

// withOrigins is a validation's error once more, with the positions in what
// kin-openapi has read. They cost much memory, and most documents are valid.
func (d *Documents) withOrigins(err error, options []openapi3.ValidationOption) error {
	doc, loadErr := d.decodeText(true)
	if loadErr != nil {
		return err
	}
	if located := doc.Validate(context.Background(), options...); located != nil {
		return located
	}
	return err
}

// explain turns a validation's error into diagnostics. pointer is where it is, as
// far as the wrappers around it say.
func (d *Documents) explain(err error, pointer string) Diagnostics {
	switch e := err.(type) {
	case openapi3.MultiError:
		var found Diagnostics
		for _, one := range e {
			found = append(found, d.explain(one, pointer)...)
		}
		return found
	case *openapi3.SectionValidationError:
		return d.explain(e.Cause, Pointer(e.Section))
	case *openapi3.PathValidationError:
		return d.explain(e.Cause, Pointer("paths", e.Path))
	case *openapi3.OperationValidationError:
		return d.explain(e.Cause, pointer+Pointer(strings.ToLower(e.Method)))
	case *openapi3.ComponentValidationError:
		return d.explain(e.Cause, Pointer("components", sections[e.Section], e.Name))
	case *openapi3.WebhookValidationError:
		return d.explain(e.Cause, Pointer("webhooks", e.Name))
	}
	return d.leaf(err, pointer)
}

// sections are the members of components, by the names that kin-openapi has for
// what is in them.
var sections = map[string]string{
	"schema": "schemas", "parameter": "parameters", "header": "headers", "request body": "requestBodies",
	"response": "responses", "security scheme": "securitySchemes", "example": "examples", "link": "links", "callback": "callbacks",
}

// leaf is the diagnostic of one mistake, or none where it becomes a note.
func (d *Documents) leaf(err error, pointer string) Diagnostics {
	if checkedElsewhere(err) {
		return nil
	}
	err = mistake(err)
	here, _ := d.locate("", pointer)
	if origin := originOf(err); origin != nil {
		if f := d.originFile(origin.File); f != nil {
			here = d.placeOf(f, origin.Line, origin.Column)
		}
	}
	var (
		duplicate  *openapi3.DuplicateOperationIDError
		extra      *openapi3.ExtraSiblingFieldsError
		unresolved *openapi3.UnresolvedRefError
	)
	found := one(here.pos, firstLine(withoutValues(err.Error())), "")
	switch {
	case errors.As(err, &duplicate):
		found = d.duplicateID(duplicate)
		if found == nil {
			return nil
		}
	case errors.As(err, &extra):
		found = d.unknownFields(here, extra.Fields)
	case errors.As(err, &unresolved):
		found[0].Message = fmt.Sprintf("$ref %q leads to nothing but other references: %s", unresolved.Ref, d.chain(here.file, unresolved.Ref))
		found[0].Fix = "write what they stand for in place of one of them"
	}
	if harmless(err, here.node) {
		d.Notes = append(d.Notes, d.named(here, found, err)...)
		return nil
	}
	return found
}

// checkedElsewhere tells what package spec reports itself, one by one and at
// their places: the variables of servers, and what operations that are generated
// need of paths and security schemes.
func checkedElsewhere(err error) bool {
	var (
		undeclared *openapi3.ServerURLUndeclaredVariables
		unused     *openapi3.ServerURLUnusedVariables
		path       *openapi3.PathParametersError
		scheme     *openapi3.SecurityRequirementSchemeUndefinedError
	)
	return errors.As(err, &undeclared) || errors.As(err, &unused) || errors.As(err, &path) || errors.As(err, &scheme)
}

// mistake is the first error in a chain that is not just a wrapper: kin-openapi
// gives an Origin to those.
func mistake(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if hasOrigin(inner) {
			return inner
		}
	}
	return err
}

func hasOrigin(err error) bool {
	v := reflect.Indirect(reflect.ValueOf(err))
	return v.Kind() == reflect.Struct && v.FieldByName("Origin").IsValid()
}

// harmless tells mistakes that change nothing that is generated, or that package
// spec makes the best of, and that widely used documents have.
func harmless(err error, node *yaml.Node) bool {
	var (
		required *openapi3.RequiredFieldError
		extra    *openapi3.ExtraSiblingFieldsError
	)
	switch {
	case errors.As(err, &required):
		return !slices.Contains([]string{"openapi", "parameter.name"}, required.Field)
	case errors.As(err, &extra):
		return isSchema(node) || !slices.ContainsFunc(extra.Fields, misspelt)
	}
	for _, text := range []string{
		"is not supported by OpenAPIv3 standard", // the name of a component
		"is for OpenAPI >=3.1",                   // a value of a field
	} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return slices.ContainsFunc(mostlyHarmless, func(is func(error) bool) bool { return is(err) })
}

var mostlyHarmless = []func(error) bool{
	is[*openapi3.SchemaItemsRequired], // an array of anything
	is[*openapi3.DuplicateRequiredFieldError],
	is[*openapi3.FieldVersionMismatchError],
	is[*openapi3.InvalidSerializationMethodError],
	is[*openapi3.InvalidEncodingContentTypeError],
	is[*openapi3.InvalidHTTPSchemeError],
	is[*openapi3.InvalidSecuritySchemeTypeError],
	is[*openapi3.ContentKeysOverlapError],
	is[*openapi3.ConflictingPathsError],
	is[*openapi3.DuplicateParameterError],
	is[*openapi3.DuplicateTagError],
	is[*openapi3.EitherFieldRequiredError],
	is[*openapi3.ExactlyOneFieldError],
	is[*openapi3.ExternalDocsURLValidationError],
	is[*openapi3.ForbiddenFieldError],
	is[*openapi3.MutuallyExclusiveFieldsError],
	is[*openapi3.PathParameterRequiredError],
	is[*openapi3.PathMustStartWithSlashError],
	is[*openapi3.SchemaMultipleOfNotPositiveError],
	is[*openapi3.SchemaPatternRegexError],
	is[*openapi3.SchemaTypeError],
	is[*openapi3.SchemaValueError],
	is[*openapi3.SingleEntryContentError],
}

func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

// misspelt reports whether a field was probably meant to be one that counts.
func misspelt(field string) bool {
	_, near := Nearest(field, []string{"parameters", "requestBody", "responses", "security", "servers", "operationId", "content",
		"schema", "required", "explode", "style", "encoding", "components", "paths", "headers"})
	return near
}

// isSchema guesses whether an element is a schema: there, unlike in an operation,
// an unknown member is more often an annotation than a misspelt key.
func isSchema(node *yaml.Node) bool {
	for key := range Members(node) {
		switch key.Value {
		case "responses", "in", "content", "schema", "url":
			return false
		}
	}
	for key := range Members(node) {
		switch key.Value {
		case "type", "properties", "items", "prefixItems", "allOf", "anyOf", "oneOf", "enum", "format", "additionalProperties", "$recursiveRef", "$dynamicRef":
			return true
		}
	}
	return false
}

// duplicateID reports the second of two operations with the same id.
func (d *Documents) duplicateID(e *openapi3.DuplicateOperationIDError) Diagnostics {
	first, second := d.operationID(e.Endpoint1), d.operationID(e.Endpoint2)
	switch order := first.Compare(second); {
	case order == 0:
		return nil // two paths are the same item, by references
	case order > 0:
		first, second = second, first
	}
	return one(second, fmt.Sprintf("duplicate operationId %q; the first one is at %s", e.OperationID, first), "give each operation an id of its own")
}

// operationID is the position of the id of "GET /pets".
func (d *Documents) operationID(endpoint string) Pos {
	method, path, _ := strings.Cut(endpoint, " ")
	return d.Pos("", Pointer("paths", path, strings.ToLower(method), "operationId"))
}

// unknownFields reports members that the specification does not know.
func (d *Documents) unknownFields(parent place, names []string) Diagnostics {
	var found Diagnostics
	for _, name := range names {
		pos := parent.pos
		if key, _ := Member(parent.node, name); key != nil {
			pos = d.posIn(parent.file, key)
		}
		found = append(found, Diagnostic{Pos: pos, Message: fmt.Sprintf("unknown field %q", name), Fix: "remove it, or begin its name with x-"})
	}
	return found
}

// originOf is the position that an error carries.
func originOf(err error) *openapi3.Location {
	if !hasOrigin(err) {
		return nil
	}
	origin, ok := reflect.Indirect(reflect.ValueOf(err)).FieldByName("Origin").Interface().(*openapi3.Origin)
	if !ok || origin == nil {
		return nil
	}
	return origin.Key
}

// originFile is the file that kin-openapi calls by its location.
func (d *Documents) originFile(location string) *file {
	u, err := url.Parse(location)
	if err != nil {
		return nil
	}
	return d.file(u.Path)
}
