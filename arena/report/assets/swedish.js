const SWEDISH = {
};
