package source

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// convertSwagger rewrites a Swagger 2.0 document as OpenAPI 3.0, in place: what is
// moved keeps its position, so that messages lead to what the user has written.
func convertSwagger(root *yaml.Node) {
	c := swagger{root: root, bodies: map[string]bool{}}
	c.consumes, c.produces = take(root, "consumes"), take(root, "produces")
	c.version()
	c.servers()
	c.components()
	for _, item := range Members(value(root, "paths")) {
		c.pathItem(item)
	}
	for _, key := range []string{"host", "basePath", "schemes", "parameters", "responses", "definitions", "securityDefinitions"} {
		take(root, key)
	}
	c.references(root)
}

// swagger converts one document.
type swagger struct {
	root               *yaml.Node
	consumes, produces *yaml.Node      // of operations that list none
	bodies             map[string]bool // shared parameters that are bodies
}

func (c *swagger) version() {
	key, version := Member(c.root, "swagger")
	key.Value, version.Value, version.Tag, version.Style = "openapi", "3.0.3", "!!str", yaml.DoubleQuotedStyle
}

// servers joins schemes, host and basePath.
func (c *swagger) servers() {
	host, base := text(c.root, "host"), strings.TrimSuffix(text(c.root, "basePath"), "/")
	near := value(c.root, "basePath")
	if host != "" {
		near = value(c.root, "host")
		scheme := "https"
		if schemes := value(c.root, "schemes"); schemes != nil && len(schemes.Content) > 0 && !contains(schemes, "https") {
			scheme = schemes.Content[0].Value
		}
		host = scheme + "://" + host
	}
	if host+base == "" {
		return
	}
	set(c.root, "servers", list(near, mapping(near, "url", scalar(near, host+base))))
}

func (c *swagger) components() {
	components := mapping(c.root)
	for name, schema := range Members(value(c.root, "definitions")) {
		c.schema(schema)
		set(section(components, "schemas", name), name.Value, schema)
	}
	for name, param := range Members(value(c.root, "parameters")) {
		switch text(param, "in") {
		case "body":
			c.bodies[name.Value] = true
			set(section(components, "requestBodies", name), name.Value, c.body(param, c.consumes))
		case "formData": // operations take it in
		default:
			c.param(param)
			set(section(components, "parameters", name), name.Value, param)
		}
	}
	for name, response := range Members(value(c.root, "responses")) {
		c.response(response, c.produces)
		set(section(components, "responses", name), name.Value, response)
	}
	for name, scheme := range Members(value(c.root, "securityDefinitions")) {
		c.scheme(scheme)
		set(section(components, "securitySchemes", name), name.Value, scheme)
	}
	if len(components.Content) > 0 {
		set(c.root, "components", components)
	}
}

// section is a part of components.
func section(components *yaml.Node, name string, near *yaml.Node) *yaml.Node {
	if have := value(components, name); have != nil {
		return have
	}
	part := mapping(near)
	set(components, name, part)
	return part
}

// scheme converts a security definition.
func (c *swagger) scheme(scheme *yaml.Node) {
	kind := value(scheme, "type")
	switch text(scheme, "type") {
	case "basic":
		kind.Value = "http"
		set(scheme, "scheme", scalar(kind, "basic"))
	case "oauth2":
		names := map[string]string{"application": "clientCredentials", "accessCode": "authorizationCode"}
		flow := take(scheme, "flow")
		details := mapping(kind)
		for _, key := range []string{"authorizationUrl", "tokenUrl", "scopes"} {
			if part := take(scheme, key); part != nil {
				set(details, key, part)
			}
		}
		if value(details, "scopes") == nil {
			set(details, "scopes", mapping(kind))
		}
		if flow != nil {
			name := flow.Value
			if better := names[name]; better != "" {
				name = better
			}
			set(scheme, "flows", mapping(kind, name, details))
		}
	}
}

// pathItem converts the operations of a path. Bodies and fields of forms that the
// path declares become each operation's.
func (c *swagger) pathItem(item *yaml.Node) {
	shared, bodies := c.split(take(item, "parameters"))
	if shared != nil {
		set(item, "parameters", shared)
	}
	for key, operation := range Members(item) {
		if slices.Contains(Methods, key.Value) && operation.Kind == yaml.MappingNode {
			c.operation(operation, bodies)
		}
	}
}

func (c *swagger) operation(op *yaml.Node, inherited []*yaml.Node) {
	consumes, produces := take(op, "consumes"), take(op, "produces")
	if consumes == nil {
		consumes = c.consumes
	}
	if produces == nil {
		produces = c.produces
	}
	take(op, "schemes")
	rest, bodies := c.split(take(op, "parameters"))
	if rest != nil {
		set(op, "parameters", rest)
	}
	if len(bodies) == 0 {
		bodies = inherited
	}
	if body := c.requestBody(bodies, consumes); body != nil {
		set(op, "requestBody", body)
	}
	for _, response := range Members(value(op, "responses")) {
		c.response(response, produces)
	}
}

// split converts parameters, and sets aside those that make the body.
func (c *swagger) split(params *yaml.Node) (rest *yaml.Node, bodies []*yaml.Node) {
	if params == nil || params.Kind != yaml.SequenceNode {
		return params, nil
	}
	rest = list(params)
	for _, param := range params.Content {
		meant := param
		if name, ok := strings.CutPrefix(text(param, "$ref"), "#/parameters/"); ok {
			name = pointerUnescaper.Replace(name)
			meant = value(value(c.root, "parameters"), name)
			if c.bodies[name] {
				bodies = append(bodies, param)
				continue
			}
		}
		switch text(meant, "in") {
		case "body", "formData":
			bodies = append(bodies, meant)
			continue
		}
		if meant == param {
			c.param(param)
		}
		rest.Content = append(rest.Content, param)
	}
	if len(rest.Content) == 0 {
		rest = nil
	}
	return rest, bodies
}

// requestBody is made of one body parameter, or of the fields of a form.
func (c *swagger) requestBody(params []*yaml.Node, consumes *yaml.Node) *yaml.Node {
	if len(params) == 0 {
		return nil
	}
	first := params[0]
	if name, ok := strings.CutPrefix(text(first, "$ref"), "#/parameters/"); ok {
		return mapping(first, "$ref", scalar(value(first, "$ref"), "#/components/requestBodies/"+name))
	}
	if text(first, "in") == "body" {
		return c.body(first, consumes)
	}
	return c.form(params, consumes)
}

func (c *swagger) body(param, consumes *yaml.Node) *yaml.Node {
	body := copied(param)
	for _, key := range []string{"in", "name"} {
		take(body, key)
	}
	schema := take(body, "schema")
	if schema == nil {
		schema = mapping(param)
	}
	c.schema(schema)
	types := mediaTypes(consumes, func(name string) bool { return !isForm(name) })
	set(body, "content", content(param, types, schema))
	return body
}

// form is a body whose properties are the fields of a form.
func (c *swagger) form(params []*yaml.Node, consumes *yaml.Node) *yaml.Node {
	near := params[0]
	properties, encoding, required := mapping(near), mapping(near), list(near)
	files := contains(consumes, "multipart/form-data") && !contains(consumes, "application/x-www-form-urlencoded")
	for _, param := range params {
		name := text(param, "name")
		if flag := take(param, "required"); flag != nil && flag.Value == "true" {
			required.Content = append(required.Content, scalar(param, name))
		}
		files = files || text(param, "type") == "file"
		if text(param, "type") == "array" && text(param, "collectionFormat") != "multi" {
			set(encoding, name, c.encoding(param))
		}
		for _, key := range []string{"in", "name", "collectionFormat", "allowEmptyValue"} {
			take(param, key)
		}
		c.schema(param)
		set(properties, name, param)
	}
	schema := mapping(near, "type", scalar(near, "object"), "properties", properties)
	media := mapping(near, "schema", schema)
	kind := "application/x-www-form-urlencoded"
	if files {
		kind = "multipart/form-data"
	} else if len(encoding.Content) > 0 {
		set(media, "encoding", encoding)
	}
	body := mapping(near, "content", mapping(near, kind, media))
	if len(required.Content) > 0 {
		set(schema, "required", required)
		set(body, "required", boolean(near, true))
	}
	return body
}

// encoding is a collectionFormat as the style of a form's property.
func (c *swagger) encoding(param *yaml.Node) *yaml.Node {
	return mapping(param, "style", scalar(param, collectionStyle(param)), "explode", boolean(param, false))
}

func collectionStyle(param *yaml.Node) string {
	switch text(param, "collectionFormat") {
	case "ssv":
		return "spaceDelimited"
	case "pipes":
		return "pipeDelimited"
	}
	return "form" // csv; tsv has no equal
}

// schemaKeys are the keys of a parameter that describe its value.
var schemaKeys = []string{
	"type", "format", "items", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
	"pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf", "x-enum-varnames", "x-nullable", "x-go-type", "x-go-name",
}

// param moves what describes the value of a parameter, or a header, into a schema.
func (c *swagger) param(param *yaml.Node) {
	if value(param, "$ref") != nil || value(param, "schema") != nil {
		return
	}
	if text(param, "type") == "array" {
		c.style(param)
	}
	take(param, "collectionFormat")
	schema := mapping(param)
	for _, key := range schemaKeys {
		if part := take(param, key); part != nil {
			set(schema, key, part)
		}
	}
	c.schema(schema)
	set(param, "schema", schema)
}

func (c *swagger) style(param *yaml.Node) {
	if in := text(param, "in"); in != "query" {
		return
	}
	set(param, "style", scalar(param, collectionStyle(param)))
	set(param, "explode", boolean(param, text(param, "collectionFormat") == "multi"))
}

func (c *swagger) response(response, produces *yaml.Node) {
	if response.Kind != yaml.MappingNode || value(response, "$ref") != nil {
		return
	}
	take(response, "examples")
	for _, header := range Members(value(response, "headers")) {
		c.param(header)
	}
	schema := take(response, "schema")
	if schema == nil {
		return
	}
	types := mediaTypes(produces, func(string) bool { return true })
	if text(schema, "type") == "file" && contains(produces, "application/json") || text(schema, "type") == "file" && produces == nil {
		types = []string{"application/octet-stream"}
	}
	c.schema(schema)
	set(response, "content", content(response, types, schema))
}

// schema converts a schema and all in it.
func (c *swagger) schema(schema *yaml.Node) {
	if schema == nil || schema.Kind != yaml.MappingNode {
		return
	}
	if kind := value(schema, "type"); kind != nil {
		c.schemaType(schema, kind)
	}
	if name := value(schema, "discriminator"); name != nil && name.Kind == yaml.ScalarNode {
		property := *name
		*name = *mapping(name, "propertyName", &property)
	}
	if flag := take(schema, "x-nullable"); flag != nil {
		set(schema, "nullable", flag)
	}
	take(schema, "collectionFormat")
	for _, property := range Members(value(schema, "properties")) {
		c.schema(property)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		c.schema(value(schema, key))
	}
	if parts := value(schema, "allOf"); parts != nil {
		for _, part := range parts.Content {
			c.schema(part)
		}
	}
}

// schemaType converts a file, and a list of types with null.
func (c *swagger) schemaType(schema, kind *yaml.Node) {
	switch {
	case kind.Kind == yaml.ScalarNode && kind.Value == "file":
		kind.Value = "string"
		set(schema, "format", scalar(kind, "binary"))
	case kind.Kind == yaml.SequenceNode:
		others := slices.DeleteFunc(slices.Clone(kind.Content), func(n *yaml.Node) bool { return n.Value == "null" })
		if len(others) < len(kind.Content) {
			set(schema, "nullable", boolean(kind, true))
		}
		if len(others) == 1 {
			*kind = *others[0]
		} else {
			take(schema, "type")
		}
	}
}

// references leads references to where their targets are now.
func (c *swagger) references(node *yaml.Node) {
	for key, target := range Members(node) {
		if key.Value == "$ref" && target.Kind == yaml.ScalarNode {
			target.Value = moved(target.Value)
		}
	}
	for _, child := range node.Content {
		c.references(child)
	}
}

func moved(ref string) string {
	for _, move := range [][2]string{{"definitions", "schemas"}, {"parameters", "parameters"}, {"responses", "responses"}} {
		if rest, ok := strings.CutPrefix(ref, "#/"+move[0]+"/"); ok {
			return "#/components/" + move[1] + "/" + rest
		}
	}
	return ref
}

func isForm(media string) bool {
	return media == "application/x-www-form-urlencoded" || strings.HasPrefix(media, "multipart/")
}

// mediaTypes are the fitting ones of consumes or produces; JSON without any.
func mediaTypes(declared *yaml.Node, fits func(string) bool) []string {
	var names []string
	if declared != nil {
		for _, name := range declared.Content {
			if fits(name.Value) && !slices.Contains(names, name.Value) {
				names = append(names, name.Value)
			}
		}
	}
	if names == nil {
		return []string{"application/json"}
	}
	return names
}

func content(near *yaml.Node, types []string, schema *yaml.Node) *yaml.Node {
	all := mapping(near)
	for _, name := range types {
		set(all, name, mapping(near, "schema", schema))
	}
	return all
}

func contains(list *yaml.Node, text string) bool {
	return list != nil && slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == text })
}
