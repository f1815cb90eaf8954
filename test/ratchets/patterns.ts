import type { TextBlock } from './texts.ts'

/** A wording that plain English avoids. */
export interface Pattern {
  /** The name used in ratchets.json and with `--list`. */
  readonly name: string
  readonly pattern: RegExp
  /** What to write instead, for the report. */
  readonly instead: string
  /** The kinds of text to search. Defaults to all. */
  readonly kinds?: readonly TextBlock['kind'][]
  /** Files that may keep this wording. */
  readonly unsearched?: RegExp
}

const COMMENT = ['comment'] as const
const STRING = ['string'] as const
const DOCUMENT = ['prose'] as const
const CHANGELOG = /^CHANGELOG\.md$/

/** Each match counts once. A pattern that cannot tell good sentences from bad ones does not belong here. */
export const PATTERNS: readonly Pattern[] = [
  // How a comment may begin: with its subject or a verb, so that it can be scanned.
  {
    name: 'comment begins with What',
    pattern: /^What(?:ever)?\b/g,
    kinds: COMMENT,
    instead: 'name the thing: "Settings that …"',
  },
  {
    name: 'comment begins with Whether',
    pattern: /^Whether\b/g,
    kinds: COMMENT,
    instead: '"True if …", or delete it next to a name with is or has',
  },
  {
    name: 'comment begins with Who',
    pattern: /^(?:Whoever|Whose|Whom|Who)\b/g,
    kinds: COMMENT,
    instead: 'name the actor: "The caller that …"',
  },
  {
    name: 'comment begins with Where',
    pattern: /^Where\b/g,
    kinds: COMMENT,
    instead: 'name the place, or use "if" or "when"',
  },
  {
    name: 'comment begins with How',
    pattern: /^How\b/g,
    kinds: COMMENT,
    instead: 'name the thing: "The number of …", "The way to …"',
  },
  {
    name: 'comment begins with The same',
    pattern: /^The same\b/g,
    kinds: COMMENT,
    instead: 'name the thing again',
  },
  {
    name: 'comment begins with As',
    pattern: /^As\b/g,
    kinds: COMMENT,
    instead: 'start with a subject or a verb',
  },
  {
    name: 'comment of more than three sentences',
    pattern: /^(?:.*?[a-z)`"\]][.!?](?= [A-Z`])){3}/g,
    kinds: COMMENT,
    instead: 'say why in at most two sentences; longer explanations belong in docs/internals',
  },

  // Sentences that begin with a question word but are not questions.
  {
    name: 'sentence begins with What',
    pattern: /(?:^|[.:] )What (?!if\b|to\b)[^.?]*(?:\.|$)/g,
    kinds: DOCUMENT,
    instead: 'name the subject: "Resources of other platforms …"',
  },
  {
    name: 'sentence begins with Who',
    pattern: /(?:^|[.:] )(?:Whoever|Whose|Who) [^.?]*(?:\.|$)/g,
    kinds: ['prose', 'string'],
    instead: 'name the actor or write "If you …"',
  },
  {
    name: 'sentence begins with Whether',
    pattern: /(?:^|\. )Whether [^.?]*(?:\.|$)/g,
    kinds: ['prose', 'string'],
    instead: 'name the subject',
  },
  {
    name: 'sentence begins with Which',
    pattern: /(?:^|\. )Which [^.?]*(?:\.|$)/g,
    kinds: ['prose', 'string'],
    instead: 'name the subject',
  },
  {
    name: 'description begins with a question word',
    pattern: /^(?:What|How|Where|Why) (?!if\b)[^?]*$/g,
    kinds: STRING,
    instead: 'name the thing: "The number of …", "True if …", "The reason for …"',
  },
  {
    name: 'heading begins with a question word',
    pattern: /^(?:What|Who|Whose|Where|Which|Whether)\b/g,
    kinds: ['heading'],
    instead: 'a noun or a verb and a noun: "Verify signatures"',
  },

  // Words for which the trade has better ones.
  {
    name: 'where for if',
    pattern:
      /(?:^|[.,;:(] ?|\band |\bor |\bbut )[Ww]here (?:it|they|there|this|that|one|none|nothing|no|nobody|a|an|the [a-z]+ (?:is|are|has|have))\b/g,
    instead: '"if" or "when"',
  },
  {
    name: 'of its own',
    pattern: /\bof (?:its|their|your|his|our) own\b/g,
    instead: '"its own" or "a separate"',
  },
  { name: 'goes on', pattern: /\b(?:goes|go|went|gone|going) on\b/g, instead: '"continues" or "resumes"' },
  {
    name: 'by itself',
    pattern: /\bby (?:itself|themselves)\b/g,
    instead: '"automatically", or leave it out',
  },
  { name: 'anew', pattern: /\banew\b/g, instead: '"again" or "re-"' },
  { name: 'under way', pattern: /\bunder ?way\b/g, instead: '"in progress"' },
  { name: 'for good', pattern: /\bfor good\b(?! reason)/g, instead: '"permanently"' },
  { name: 'beside', pattern: /\b[Bb]esides?\b/g, instead: '"next to", "in addition to" or "except"' },
  {
    name: 'is answered',
    pattern: /\b(?:is|are|was|were|be|been|being) (?:\w+ )?answered\b/g,
    instead: 'active: "returns 409"',
  },
  {
    name: 'answer as a response',
    pattern:
      /\b(?:an|the|each|every|its|one) answer(?:s|ed)? (?:of|to|with|is|has|says|shows|carries|names|holds|that)\b/g,
    instead: '"response"',
  },
  { name: 'that of, those of', pattern: /\b(?:that|those) of\b/g, instead: 'repeat the noun' },
  {
    name: 'is not there',
    pattern: /\b(?:is|are|was|were) (?:not|no longer|already|still) there\b/g,
    instead: '"is missing", "does not exist" or "not found"',
  },
  { name: 'No such X', pattern: /\b[Nn]o such\b/g, instead: '"X not found."' },
  {
    name: 'is no X',
    pattern:
      /(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|other\b|need\b|way\b|such\b|reason\b)[a-z-]+/g,
    instead: '"is not a …"',
  },
  {
    name: 'there is none',
    pattern: /\b(?:there|is|are|has|have) none\b/g,
    instead: 'name the noun: "has no token"',
  },
  {
    name: 'is asked for',
    pattern: /\b(?:is|are|was|were|be|been) asked (?:for|about|whether)\b/g,
    instead: '"is requested" or active voice',
  },
  { name: 'to be had', pattern: /\b(?:to )?be had\b/g, instead: '"available"' },
  { name: 'look whether', pattern: /\b[Ll]ooks? whether\b/g, instead: '"check whether"' },
  {
    name: 'so many, so long',
    pattern: /\bso (?:many|much|long) (?=[a-z])(?!as\b|that\b)/g,
    instead: 'name the number: "up to N", "for N seconds"',
  },
  {
    name: 'members of a record',
    pattern:
      /\bmembers? of (?:a|an|the|its|each) (?:record|body|object|answer|response|request|row|payload|schema)\b/g,
    instead: '"property" or "field"',
  },
  { name: 'texts', pattern: /\btexts\b/g, instead: '"strings", or name them: "messages", "labels"' },
  {
    name: 'held against',
    pattern: /\b(?:holds?|held) (?:\w+ ){0,5}against\b/g,
    instead: '"compares", "checks" or "reconciles"',
  },
  { name: 'shall', pattern: /\bshall\b/g, instead: '"must", or the present tense' },
  { name: 'in the end', pattern: /\bin the end\b/g, instead: '"finally" or "eventually"' },
  {
    name: 'quaint words',
    pattern:
      /\b(?:desks?|crumbs?|befalls?|befell|letter box(?:es)?|whoever|thereby|whereby|wherever|thereupon|hitherto)\b/g,
    instead: 'a plain word: worker, inbox, anyone',
  },
  {
    name: 'hand in',
    pattern: /\bhand(?:s|ed)? (?:(?:it|this|them|\w+thing) )?in\b/g,
    instead: '"submit" or "open a pull request"',
  },
  { name: 'puts together', pattern: /\bputs? together\b/g, instead: '"copies", "builds" or "collects"' },
  {
    name: 'is said',
    pattern: /\b(?:is|are|was|were) (?:not )?said\b/g,
    instead: 'say who says it: "the response includes …"',
  },
  { name: 'come to an end', pattern: /\bcom(?:es?|ing) to an end\b/g, instead: '"ends"' },
  {
    name: 'at once',
    pattern: /\b[Aa]t once\b/g,
    instead: '"immediately", "at the same time" or "in parallel"',
    unsearched: CHANGELOG,
  },
  {
    // Idiomatic where it means "without others" or follows the subject: "is read alone", "color alone must
    // not".
    name: 'alone for only',
    pattern:
      /(?<!\b(?:is|are|left|leaves|read|written|goes|stands?) )\balone\b(?! (?:and|are|cannot|does|is|must|or|would|[a-z]+s)\b)/g,
    instead: '"only" before what it limits',
    unsearched: CHANGELOG,
  },
  { name: 'without a word', pattern: /\bwithout a word\b/g, instead: '"without output"' },

  // Unfinished work and disabled checks.
  { name: 'unfinished work', pattern: /\b(?:TO)DO\b|\b(?:FIX)ME\b/g, instead: 'do it or drop it' },
  {
    name: 'type checker switched off',
    pattern: /@ts-(?:ignore|nocheck)/g,
    kinds: COMMENT,
    instead: 'say the type, or @ts-expect-error with a reason',
  },
  {
    name: 'message begins with Nobody or There is nothing',
    pattern: /^(?:Nobody|There is nothing)\b/g,
    kinds: STRING,
    instead: 'what happened, why, and what to do',
  },
]
