/** A style sheet that a page imports: the bundler puts it next to the page. */
declare module '*.css'
