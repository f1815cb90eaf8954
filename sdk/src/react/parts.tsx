'use client'

import { type ReactNode, type RefObject, useCallback, useId } from 'react'
import type { ClassNames, Part, Styled } from './class-names.ts'
import type { Sentence } from './error-texts.ts'
import { useLook } from './look.tsx'
import type { Resource } from './use-resource.ts'
import { useWords } from './use-words.ts'

/** Returns a function that combines a part's class names: the kit's, the provider's and the component's. */
export function useParts(own: ClassNames = {}): (part: Part, more?: string) => string {
  const { classNames } = useLook()
  return (part, more) => [`cs-${part}`, more, classNames[part], own[part]].filter(Boolean).join(' ')
}

/** A region labelled by its heading. */
export function Section(
  props: Styled & { readonly name: string; readonly title: string; readonly children: ReactNode },
): ReactNode {
  const { name, title, classNames, children } = props
  const id = useId()
  const { language } = useLook()
  const part = useParts(classNames)
  return (
    <section className={part('section', `cs-${name}`)} aria-labelledby={id} lang={language}>
      <h2 className={part('title')} id={id}>
        {title}
      </h2>
      {children}
    </section>
  )
}

/**
 * A button. While busy it ignores clicks but stays focusable, because a disabled button would lose the focus.
 */
export function Button(
  props: Styled & {
    readonly children: ReactNode
    readonly onClick?: () => void
    readonly isPrimary?: boolean
    readonly isBusy?: boolean
    readonly type?: 'button' | 'submit'
    readonly label?: string
    readonly buttonRef?: RefObject<HTMLButtonElement | null>
  },
): ReactNode {
  const { children, onClick, isPrimary = false, isBusy = false, type = 'button', label, buttonRef } = props
  const part = useParts(props.classNames)
  const handleClick = useCallback(() => {
    if (!isBusy) onClick?.()
  }, [isBusy, onClick])
  return (
    <button
      type={type}
      ref={buttonRef}
      className={isPrimary ? `${part('button')} ${part('primary')}` : part('button')}
      onClick={handleClick}
      aria-disabled={isBusy}
      aria-label={label}
    >
      {children}
    </button>
  )
}

/** A labelled form field. Its value is in the form's `FormData` under its name. */
export function Field(
  props: Styled & {
    readonly name: string
    readonly label: string
    readonly type?: 'text' | 'email' | 'tel'
    readonly inputMode?: 'text' | 'decimal' | 'numeric'
    readonly autoComplete?: string
    readonly defaultValue?: string
  },
): ReactNode {
  const { name, label, type = 'text', inputMode, autoComplete = 'off', defaultValue, classNames } = props
  const id = useId()
  const part = useParts(classNames)
  return (
    <div>
      <label className={part('label')} htmlFor={id}>
        {label}
      </label>
      <input
        className={part('input')}
        id={id}
        {...{ name, type, inputMode, autoComplete, defaultValue }}
        required
      />
    </div>
  )
}

/** A form: its fields, the outcome and the submit button. */
export function Form(
  props: Styled & {
    readonly submitLabel: string
    readonly isBusy?: boolean
    readonly status?: string | undefined
    readonly error?: unknown
    readonly onSubmit: (form: FormData) => void
    readonly children: ReactNode
  },
): ReactNode {
  const { submitLabel, isBusy = false, status, error, onSubmit, children, classNames } = props
  const part = useParts(classNames)
  const styled = classNames && { classNames }
  return (
    <form
      className={part('form')}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSubmit(new FormData(event.currentTarget))
      }}
    >
      {children}
      <Outcome status={status} error={error} {...styled} />
      <Button type="submit" isPrimary isBusy={isBusy} {...styled}>
        {submitLabel}
      </Button>
    </form>
  )
}

/**
 * Shows an outcome and announces it to screen readers: a status politely, an error immediately. Both live
 * regions are always rendered.
 */
export function Outcome(
  props: Styled & {
    readonly status?: string | undefined
    readonly error?: unknown
    /** Messages for error codes that have a special meaning here. */
    readonly sentences?: Readonly<Record<string, Sentence>>
  },
): ReactNode {
  const { status, error, sentences, classNames } = props
  const formatters = useWords()
  const part = useParts(classNames)
  return (
    <>
      <p className={part('status')} role="status">
        {status}
      </p>
      <p className={part('error')} role="alert">
        {error === undefined ? undefined : formatters.error(error, sentences)}
      </p>
    </>
  )
}

/** Renders a resource, or its loading or error state. */
export function ResourceView<T>(
  props: Styled & { readonly resource: Resource<T>; readonly children: (data: T) => ReactNode },
): ReactNode {
  const { resource, children, classNames } = props
  const { texts } = useWords()
  const part = useParts(classNames)
  if (resource.data !== undefined) return children(resource.data)
  if (resource.isLoading) return <p className={part('text')}>{texts.loading}</p>
  return (
    <>
      <Outcome error={resource.error} {...(classNames && { classNames })} />
      <Button onClick={resource.reload} {...(classNames && { classNames })}>
        {texts.tryAgain}
      </Button>
    </>
  )
}
