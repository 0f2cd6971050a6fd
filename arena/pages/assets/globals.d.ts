// What a page has before its modules run: its catalogues, a sentence or its plural forms by code or
// by English words. A server sends the catalogue of the chosen language alone.

type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

declare const CATALOGUES: Readonly<Record<string, Catalogue>>;
