/** Comments that begin with a question word leave out who does what: "Whether servers are asked" instead of "True when the board asks servers". */
const QUESTION_WORD = /^[\s*]*(What|Who|Whose|Whom|Whether|How|Where|Which)\b(?!.*\?)/;

const plainSummaries = {
  create(context) {
    return {
      Program() {
        let previous;
        for (const comment of context.sourceCode.getAllComments()) {
          // Line comments that stand below each other are one comment.
          const isContinued =
            comment.type === 'Line' &&
            previous?.type === 'Line' &&
            previous.loc.end.line + 1 === comment.loc.start.line;
          previous = comment;
          if (isContinued) continue;
          const [, word] = QUESTION_WORD.exec(comment.value) ?? [];
          if (word === undefined) continue;
          const message = `A comment begins with "${word}". Begin with a verb ("Returns", "Opens") or the thing itself ("The folder that …").`;
          context.report({ node: comment, message });
        }
      },
    };
  },
};

export default { meta: { name: 'pegboard' }, rules: { 'plain-summaries': plainSummaries } };
