import { type Static, Type } from 'typebox'
import { OneOfWords, Pattern } from '../core/schema.ts'
import { EnvironmentReference, line } from './bank-formats.ts'

/** The file exchange of a bank-file rail: file names, markers, acknowledgements and encryption. */

export const FileNames = Pattern(
  '^(?:[A-Za-z0-9]|\\{(?:date|sequence|message|account)(?::[A-Z0-9]+)?\\})(?:[A-Za-z0-9._-]|\\{(?:date|sequence|message|account)(?::[A-Z0-9]+)?\\})*$',
  {
    maxLength: 100,
    patternText:
      'letters, digits, points, hyphens, underscores, and {date}, {sequence}, {message} or {account}',
    description:
      "Names of our files by the bank's scheme, such as ACME_{date}_{sequence:4}.xml. {date} is the day " +
      'of the file, {date:YYMMDD} its short form; {sequence} counts the files of the day with 3 digits, ' +
      'or as many as it says (1 to 8); {message} is the message id; {account} our account. It must have ' +
      '{message}, or {date} and {sequence}. Default: the name of the rail, a number and a random part',
  },
)

const AROUND = '[A-Za-z0-9._-]*'

const Marker = (description: string) =>
  Type.Object(
    {
      name: Pattern(`^${AROUND}\\{(?:file|stem)\\}${AROUND}$`, {
        maxLength: 60,
        patternText: 'a name with {file} or {stem} once, such as {file}.ok',
        description:
          '{file} is the name of the file, {stem} the name without its last ending, such as {file}.ok or {stem}.done',
      }),
      content: Type.Optional(
        OneOfWords(
          ['EMPTY', 'SHA256'],
          'EMPTY: nothing, or anything in markers of the bank (the default). SHA256: the checksum of the file, as sha256sum prints it',
        ),
      ),
    },
    { description },
  )

export const Markers = Type.Object(
  {
    ours: Type.Optional(Marker('Written after each of our files')),
    theirs: Type.Optional(
      Marker('A file of the bank is read only once this file exists. With SHA256 the checksum must match'),
    ),
  },
  { description: 'Files that mark another file as complete' },
)

const AcknowledgementName = (description: string) =>
  Pattern(`^${AROUND}\\{(?:file|message)\\}${AROUND}$`, {
    maxLength: 60,
    patternText: 'a name with {file} or {message} once, such as {file}.ack',
    description,
  })

export const Acknowledgements = Type.Object(
  {
    accepted: AcknowledgementName('The name of the file by which the bank accepts one of ours'),
    rejected: Type.Optional(
      AcknowledgementName('The name of the file by which the bank rejects one of ours as a whole'),
    ),
  },
  {
    description:
      'The bank acknowledges each file: payments are accepted when it does so, not when the file is ' +
      'written. A pain.002 about a whole file counts as well. {file} is the name of our file, {message} ' +
      'its message id',
  },
)

const KeyFiles = (description: string) =>
  Type.Array(line(1000, 'The path of a key file, armored or binary'), {
    minItems: 1,
    maxItems: 5,
    description,
  })

export const Pgp = Type.Object(
  {
    bankKeys: KeyFiles("The bank's public keys: files are encrypted to the first, and any of them may sign"),
    ownKeys: KeyFiles('Our private keys: the first signs, and any of them decrypts'),
    passphrase: Type.Optional(EnvironmentReference),
    isArmored: Type.Optional(
      Type.Boolean({ description: 'True: our files are text. Default: binary files, which are smaller' }),
    ),
  },
  {
    description:
      "Files are encrypted to the bank's key and signed with ours. Files of the bank have to be encrypted to ours and signed with the bank's",
  },
)

export type MarkerValue = Static<ReturnType<typeof Marker>>
export type AcknowledgementsValue = Static<typeof Acknowledgements>
export type PgpValue = Static<typeof Pgp>
