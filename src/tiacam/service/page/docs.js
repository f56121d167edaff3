// The OpenAPI document as a page: every route with what it takes and what it answers.
import { make } from "/page/result.js";

const described = await (await fetch("/openapi.json")).json();
const plain = (text) => (text ?? "").replaceAll("`", "");
document.getElementById("about").textContent = plain(described.info.description);

function rows(title, entries) {
  if (!entries.length) return null;
  const table = make("table", {}, make("caption", { className: "soft", textContent: title }));
  for (const [name, text] of entries) {
    table.append(make("tr", {}, make("th", { className: "mono", scope: "row", textContent: name }), make("td", { textContent: plain(text) })));
  }
  return table;
}

function resolve(schema) {
  return schema?.$ref ? described.components.schemas[schema.$ref.split("/").pop()] : schema;
}

function fields(schema) {
  const found = resolve(schema);
  return Object.entries(found?.properties ?? {}).map(([name, value]) => [name, value.description ?? resolve(value)?.description ?? value.type ?? ""]);
}

for (const [path, verbs] of Object.entries(described.paths)) {
  for (const [verb, route] of Object.entries(verbs)) {
    const heading = make("h2", {}, make("span", { className: "verb", textContent: verb.toUpperCase() }), ` ${path}`);
    const parameters = (route.parameters ?? []).map((one) => [one.name, `${one.description ?? ""}${one.required ? " (required)" : ""}`]);
    const bodies = Object.entries(route.requestBody?.content ?? {}).flatMap(([type, body]) => [[type, route.requestBody.description ?? ""], ...fields(body.schema)]);
    const good = Object.values(route.responses["200"]?.content ?? route.responses["201"]?.content ?? {})[0];
    const statuses = Object.entries(route.responses).map(([status, one]) => [status, one.description]);
    const parts = [rows("Parameters", parameters), rows("Body", bodies), rows("Answer", fields(good?.schema)), rows("Statuses", statuses)];
    const card = make("article", { className: "card" }, heading, make("p", { textContent: route.summary ?? "" }), make("p", { className: "soft", textContent: plain(route.description) }), ...parts);
    document.getElementById("routes").append(card);
  }
}
