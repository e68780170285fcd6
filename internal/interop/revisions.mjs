// What a client may expect of each protocol revision, as far as the checks need it.

export const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const modern = '2026-07-28';
export const newestLegacy = legacy.at(-1);

// Revisions are dates, so their order is the order of their names.
export const isModern = revision => revision >= modern;
export const hasStructured = revision => revision >= '2025-06-18';
export const hasAudio = revision => revision >= '2025-03-26';
export const hasResourceLinks = revision => revision >= '2025-06-18';
// Completion is older than its capability, and than the other arguments in the request.
export const hasCompletions = revision => revision >= '2025-03-26';
export const hasCompletionContext = revision => revision >= '2025-06-18';
export const hasElicitation = revision => revision >= '2025-06-18';

// Before 2026-07-28 structuredContent is an object: any other value is the
// member "result" of one.
export const isWrapped = (structured, revision) =>
  !isModern(revision) && (structured === null || typeof structured !== 'object' || Array.isArray(structured));

// downgrade turns the facts about one content block, written for the newest
// revision, into what a client of an older one has to see.
export function downgrade(block, revision) {
  if (block.type === 'audio' && !hasAudio(revision)) {
    return { type: 'resource', resource: { mimeType: block.mimeType } };
  }
  if (block.type === 'resource_link' && !hasResourceLinks(revision)) {
    return { type: 'text' };
  }
  return block;
}

// downgradeFields does so for the facts about the fields of a form: before 2025-11-25 only booleans have a default.
export const downgradeFields = (fields, revision) =>
  revision >= '2025-11-25'
    ? fields
    : Object.fromEntries(
        Object.entries(fields).map(([name, { default: preset, ...field }]) => [
          name,
          field.type === 'boolean' && preset !== undefined ? { ...field, default: preset } : field,
        ]),
      );
